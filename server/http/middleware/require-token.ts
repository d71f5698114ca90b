import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import { FORGE } from '../../../shared/forge-command.ts';
import { ForgeError } from '../../../shared/errors.ts';

/** Its clients have tokens of their own. */
export const MCP_PATH = '/mcp';

/** The token a request carries in a header; empty when it carries none. */
export function tokenIn(headers: IncomingHttpHeaders): string {
  const own = headers['x-forge-token'];
  return (typeof own === 'string' && own) || /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] || '';
}

/** Refuses a request that neither a token nor a page's session speaks for. */
export function requireToken(ctx: Context): never {
  const message = tokenIn(ctx.headers) === '' ? 'this needs the Forge token' : 'the token is not right';
  if (ctx.path !== MCP_PATH) throw new ForgeError('unauthorized', message);
  throw new ForgeError('unauthorized', message, {
    hint: `Send Authorization: Bearer with the token that \`${FORGE} mcp token --name <client>\` prints.`,
  });
}
