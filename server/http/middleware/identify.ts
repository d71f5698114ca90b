import type { Context } from 'koa';
import type { McpClient } from '../../mcp/clients.ts';
import { OWNER, type Identity } from '../../mcp/peer.ts';
import type { Route } from '../route.ts';
import type { Services } from '../services.ts';
import type { PageSession } from '../sessions/page-sessions.ts';
import { sessionOf } from './page-session.ts';
import { requireToken, tokenIn } from './require-token.ts';

/** With the owner's token: the MCP client that is spoken for, with its name and its limits. */
const SPEAKS_FOR = 'x-forge-mcp-client';

type Header = (name: string) => string;

/** Who asks: the owner or an MCP client, with a token, or else by way of a page. */
export interface Asker {
  identity: Identity;
  session: PageSession | null;
}

/** Who asks. An MCP client's own token opens nothing but the routes that are for such clients. */
export function identify(ctx: Context, access: Route['access'], services: Services): Asker {
  const header = (name: string) => ctx.get(name);
  const known = access === 'open' ? null : identifyByToken(tokenIn(ctx.headers), access, header, services);
  if (known !== null) return { identity: known, session: null };
  const session = sessionOf(ctx, services.pageSessions, services.port());
  if (access !== 'open' && session === null) requireToken(ctx);
  return { identity: OWNER, session };
}

/** Who asks, by the token alone; null when that does not tell. */
export function identifyByToken(
  token: string,
  access: Route['access'],
  header: Header,
  services: Services,
): Identity | null {
  if (services.access.accepts(token)) return spokenFor(access, header, services);
  const client = access === 'client' && token !== '' ? services.mcp.clients.withToken(token) : null;
  return client === null ? null : identityOf(client);
}

function spokenFor(access: Route['access'], header: Header, { mcp }: Services): Identity {
  const name = access === 'client' ? header(SPEAKS_FOR) : '';
  return name === '' ? OWNER : identityOf(mcp.clients.named(name));
}

function identityOf({ id, name, connectors, read_only: readOnly }: McpClient): Identity {
  const isLimited = connectors !== null || readOnly;
  return { clientId: id, name, ...(isLimited ? { limits: { connectors, readOnly } } : {}) };
}
