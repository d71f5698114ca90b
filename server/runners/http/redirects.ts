import { ForgeError } from '../../../shared/errors.ts';
import type { OutgoingRequest, RawResponse } from './exchange.ts';
import { parseUrl } from '../../../shared/parse-url.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/** Headers that describe a body and go when it goes. */
const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
]);

/** Where an answer redirects to, or null when it does not. */
export function redirectTarget(response: RawResponse, from: URL): URL | null {
  const location = response.headers['location'];
  if (location === undefined || !REDIRECTS.has(response.status)) return null;
  return parseUrl(location, from);
}

/** The next request after a redirect, with method and body as browsers have it. */
export function followRedirect(request: OutgoingRequest, status: number, target: URL): OutgoingRequest {
  const { method } = request;
  const becomesGet = status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method === 'POST';
  if (!becomesGet) return { ...request, url: target };
  return { method: 'GET', url: target, headers: withoutBodyHeaders(request.headers), body: null };
}

/** Refuses to go round in circles. */
export function countRedirect(followed: number, target: URL): void {
  if (followed <= MAX_REDIRECTS) return;
  throw new ForgeError(
    'redirect_refused',
    `${target.host} redirected more than ${MAX_REDIRECTS} times, at last to ${target.pathname}`,
  );
}

function withoutBodyHeaders(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !BODY_HEADERS.has((headers[index - (index % 2)] ?? '').toLowerCase()));
}
