import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Identity } from '../mcp/peer.ts';
import type { Described } from './confirm/confirmations.ts';
import type { PageSession } from './sessions/page-sessions.ts';

/**
 * What a route is to a page that somebody is signed in to. It may send by itself what only `reads`, what `uses` the power that Forge has already,
 * and what `narrows` that power. What is `confirmed` waits for a person; what is `refused` takes the token.
 */
export type PageRule = 'reads' | 'uses' | 'narrows' | 'confirmed' | 'refused';

/** What a route takes as a body: JSON of a shape, or also a zip. */
export interface BodySpec<B extends TSchema> {
  json: B;
  zip?: boolean;
  /** Bytes; the larger of what JSON and zip may need. */
  limit?: number;
}

export interface RouteRequest<Q, B> {
  params: Readonly<Record<string, string>>;
  query: Q;
  body: B;
  /** The uploaded zip, when the request carried one instead of JSON. */
  zip: Uint8Array | null;
  header: (name: string) => string;
  /** Aborted when the client goes away before it has its answer. */
  signal: () => StopSignal;
  /** Who asks, on routes for MCP clients; everywhere else it is the owner. */
  identity: Identity;
  /** The page that asks; null for a program that has the token. */
  session: PageSession | null;
}

export interface Reply {
  status?: number;
  body?: unknown;
  /** A body that is JSON text already. */
  json?: string;
  headers?: Record<string, string>;
  cookie?: { name: string; value: string | null; maxAgeSec: number };
}

/** One route as data: the router, the validation, the OpenAPI document and the security tests are all made from it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  /**
   * `open` routes answer without the token; they must reveal nothing and change nothing that matters. `client` routes also take the
   * token of an MCP client.
   */
  access: 'token' | 'open' | 'client';
  /** Left out, a GET `reads` and everything else is `confirmed`. A function where it depends on the request. */
  fromPage?: PageRule | ((request: RouteRequest<never, never>) => PageRule);
  /** What a person reads before they confirm; left out, they read the request itself. Throws what the route would throw for a request it cannot carry out. */
  describe?: (request: RouteRequest<never, never>) => Described | Promise<Described>;
  /** Much used by programs, so that plain requests are answered without the middleware; see direct.ts. */
  direct?: true;
  query?: TObject;
  body?: BodySpec<TSchema>;
  /** The answer when all is well. */
  answers: { status: number; schema?: TSchema; contentType?: string };
  handle: (request: RouteRequest<never, never>) => Reply | Promise<Reply>;
}

type Typed<Q extends TObject, B extends TSchema> = Omit<
  Route,
  'query' | 'body' | 'handle' | 'fromPage' | 'describe'
> & {
  query?: Q;
  body?: BodySpec<B>;
  fromPage?: PageRule | ((request: RouteRequest<Static<Q>, Static<B>>) => PageRule);
  describe?: (request: RouteRequest<Static<Q>, Static<B>>) => Described | Promise<Described>;
  handle: (request: RouteRequest<Static<Q>, Static<B>>) => Reply | Promise<Reply>;
};

/** Ties the handler's types to the schemas that check what reaches it. */
export function route<Q extends TObject, B extends TSchema>(definition: Typed<Q, B>): Route {
  // The dispatcher validates query and body against these very schemas before it calls the handler.
  return definition;
}

/** What a route is to a page, for this request. */
export function pageRuleOf({ method, fromPage }: Route, request: RouteRequest<never, never>): PageRule {
  if (typeof fromPage === 'function') return fromPage(request);
  return fromPage ?? (method === 'GET' ? 'reads' : 'confirmed');
}
