import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Identity } from '../mcp/peer.ts';

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
  /** Much used by programs, so that plain requests are answered without the middleware; see direct.ts. */
  direct?: true;
  query?: TObject;
  body?: BodySpec<TSchema>;
  /** The answer when all is well. */
  answers: { status: number; schema?: TSchema; contentType?: string };
  handle: (request: RouteRequest<never, never>) => Reply | Promise<Reply>;
}

type Typed<Q extends TObject, B extends TSchema> = Omit<Route, 'query' | 'body' | 'handle'> & {
  query?: Q;
  body?: BodySpec<B>;
  handle: (request: RouteRequest<Static<Q>, Static<B>>) => Reply | Promise<Reply>;
};

/** Ties the handler's types to the schemas that check what reaches it. */
export function route<Q extends TObject, B extends TSchema>(definition: Typed<Q, B>): Route {
  // The dispatcher validates query and body against these very schemas before it calls the handler.
  return definition;
}
