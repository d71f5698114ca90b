import { Secret } from '../../shared/secret.ts';

const MASK = String(new Secret(''));
const CREDENTIALS = /^(?:(?:proxy-)?authorization|(?:set-)?cookie)$/i;
const SCHEME = /^[A-Za-z][\w-]*(?= +\S)/;

/** Headers as they may be written down: those that carry credentials say which kind of credential, and nothing of it. */
export function withoutCredentialHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let shown: Record<string, string> | null = null;
  for (const name in headers) {
    if (!CREDENTIALS.test(name)) continue;
    shown ??= { ...headers };
    const scheme = /authorization$/i.test(name) ? SCHEME.exec(headers[name] ?? '')?.[0] : undefined;
    shown[name] = scheme === undefined ? MASK : `${scheme} ${MASK}`;
  }
  return shown ?? headers;
}
