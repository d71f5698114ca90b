import { isRecord } from '../../shared/json.ts';
import { Secret } from '../../shared/secret.ts';

const CREDENTIAL = /^(?:password|passphrase|private_key)$/i;

/** Arguments as they may be written down: a credential that a caller passes is nobody else's business. */
export function withoutCredentials(args: unknown): unknown {
  if (!isRecord(args) || !Object.keys(args).some((name) => CREDENTIAL.test(name))) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, CREDENTIAL.test(name) ? String(new Secret('')) : value]),
  );
}

/** The credentials among them, so that they are recognised wherever they turn up again. */
export function credentialsIn(args: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(args).flatMap(([name, value]) =>
    CREDENTIAL.test(name) && typeof value === 'string' ? [value] : [],
  );
}
