import type { Auth } from '../../shared/manifest/schema/auth.ts';
import type { Request } from '../../shared/manifest/schema/tool.ts';
import { expandHeaders } from '../../shared/template/expand-header.ts';
import { urlPrefix } from '../../shared/template/expand-url.ts';
import type { UrlEncoding } from '../../shared/template/url-encode.ts';
import { planAuth, type AuthPlan } from '../auth/authorize.ts';
import type { CallScope, FillOptions } from './call-scope.ts';
import { hostSource, type HostSource } from './host-source.ts';
import { createKept } from './kept-by-settings.ts';

/** The parts of a request that are usually the same for every call: who it is from, where it goes, and its headers. */
export interface FixedRequest {
  auth: AuthPlan;
  host: HostSource;
  /** Names in lower case; without the type of the body. */
  headers: Readonly<Record<string, string>>;
}

interface Spec {
  /** The tool, or the connector whose test it is: what is kept belongs to it alone. */
  owner: object;
  request: Request;
  auth: Auth;
  encodings: Record<string, UrlEncoding>;
}

const USER_AGENT = 'Forge';
const ACCEPT = 'application/json, text/plain;q=0.9, */*;q=0.8';

const kept = { reveal: createKept<FixedRequest>(), mask: createKept<FixedRequest>() };

/** Fills them in, or takes what an earlier call with the same settings found when no argument has a say in them. */
export function fixedRequest(spec: Spec, scope: CallScope, options: FillOptions): FixedRequest {
  const { secrets } = options;
  if (secrets === 'refuse' || dependsOnArguments(spec)) return fill(spec, scope, options);
  return kept[secrets](scope.settings, spec.owner, () => fill(spec, scope, options));
}

function fill({ request, auth: block, encodings }: Spec, scope: CallScope, options: FillOptions): FixedRequest {
  const auth = planAuth(block, scope, options);
  const headers = lowerCased(expandHeaders(stringValues(request.headers), scope, options));
  if (auth.kind === 'static') addMissing(headers, auth.headers);
  addMissing(headers, { accept: ACCEPT, 'user-agent': USER_AGENT });
  const host = hostSource(urlPrefix(request.url, scope, { ...options, encodings }), scope);
  return { auth, host, headers };
}

const answers = new WeakMap<object, boolean>();

/** Of the address only the origin counts here; what an argument does to the path is another matter. */
function dependsOnArguments({ owner, request, auth }: Spec): boolean {
  let answer = answers.get(owner);
  if (answer === undefined) {
    const origin = /^[^/]*(?:\/\/[^/?#]*)?/.exec(request.url.trim())?.[0] ?? '';
    answer = JSON.stringify([auth, request.headers ?? {}, origin]).includes('{args');
    answers.set(owner, answer);
  }
  return answer;
}

/** A header the manifest spells out is more particular than one that auth or Forge would add. */
function addMissing(headers: Record<string, string>, more: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(more)) {
    const key = name.toLowerCase();
    if (!Object.hasOwn(headers, key)) headers[key] = value;
  }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function stringValues(headers: Request['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));
}
