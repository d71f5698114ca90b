import type { Context, Next } from 'koa';

const policy = (port: number): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    // Where a person confirms what the page asks for.
    `frame-src http://localhost:${port}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Cache-Control': 'no-store',
};

/** What is left of them for a program that asked for JSON: only a browser, which takes the other way, would look at the rest. */
export const SECURITY_HEADERS_OF_DATA: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** Set before anything can fail, so that errors carry them too. */
export function securityHeaders(port: () => number) {
  let known = { port: -1, policy: '' };
  return async (ctx: Context, next: Next): Promise<void> => {
    if (known.port !== port()) known = { port: port(), policy: policy(port()) };
    ctx.set('Content-Security-Policy', known.policy);
    ctx.set(SECURITY_HEADERS);
    await next();
  };
}
