import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import { ForgeError } from '../../../shared/errors.ts';
import { cookieName, type Access } from '../access.ts';

/** The token a request carries in a header; empty when it carries none. */
export function tokenIn(headers: IncomingHttpHeaders): string {
  const own = headers['x-forge-token'];
  return (typeof own === 'string' && own) || /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] || '';
}

/** Lets a request through that carries the token in a header, or the page's own cookie. */
export function requireToken(ctx: Context, access: Access, port: number): void {
  const header = tokenIn(ctx.headers);
  if (access.accepts(header)) return;
  if (access.acceptsSession(ctx.cookies.get(cookieName(port)) ?? '')) return;
  const message = header === '' ? 'this needs the Forge token' : 'the token is not right';
  throw new ForgeError('unauthorized', message);
}
