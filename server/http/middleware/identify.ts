import type { Context } from 'koa';
import type { McpClient } from '../../mcp/clients.ts';
import { OWNER, type Identity } from '../../mcp/peer.ts';
import type { Route } from '../route.ts';
import type { Services } from '../services.ts';
import { givenToken, requireToken } from './require-token.ts';

/** With the owner's token: the MCP client that is spoken for, with its name and its limits. */
const SPEAKS_FOR = 'x-forge-mcp-client';

/** Who asks. An MCP client's own token opens nothing but the routes that are for such clients. */
export function identify(ctx: Context, access: Route['access'], { access: owner, mcp, port }: Services): Identity {
  if (access === 'open') return OWNER;
  const token = givenToken(ctx);
  if (access === 'client' && token !== '' && !owner.accepts(token)) {
    const client = mcp.clients.withToken(token);
    if (client !== null) return identityOf(client);
  }
  requireToken(ctx, owner, port());
  const name = access === 'client' ? ctx.get(SPEAKS_FOR) : '';
  return name === '' ? OWNER : identityOf(mcp.clients.named(name));
}

function identityOf({ id, name, connectors, read_only: readOnly }: McpClient): Identity {
  const isLimited = connectors !== null || readOnly;
  return { clientId: id, name, ...(isLimited ? { limits: { connectors, readOnly } } : {}) };
}
