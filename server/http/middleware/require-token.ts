import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import { ForgeError } from '../../../shared/errors.ts';

/** The token a request carries in a header; empty when it carries none. */
export function tokenIn(headers: IncomingHttpHeaders): string {
  const own = headers['x-forge-token'];
  return (typeof own === 'string' && own) || /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] || '';
}

/** Refuses a request that neither a token nor a page's session speaks for. */
export function requireToken(ctx: Context): never {
  const message = tokenIn(ctx.headers) === '' ? 'this needs the Forge token' : 'the token is not right';
  throw new ForgeError('unauthorized', message);
}
