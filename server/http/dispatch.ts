import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { Stop, type StopSignal } from '../../shared/stop-signal.ts';
import { requireConfirmation } from './confirm/require-confirmation.ts';
import type { Asker } from './middleware/identify.ts';
import { parseJson, readBody } from './read-body.ts';
import type { BodySpec, Reply, Route, RouteRequest } from './route.ts';
import type { Services } from './services.ts';
import { Type, type TSchema } from '@sinclair/typebox';
import { validate } from './validate.ts';

export const DEFAULT_BODY_LIMIT = 2 * 1024 * 1024;
export const JSON_TYPE = /^application\/json\s*(;\s*charset=utf-8\s*)?$/i;
const ZIP_TYPES = /^application\/(zip|x-zip-compressed)$/i;

/** Work that can be stopped, so that a server that ends can answer whoever waits for it. */
export type UnderWay = Set<Stop>;

const NO_BYTES = new Uint8Array();

/** A route that takes no body ignores one, but not one that could not have been meant for it. */
const UNUSED_BODY: BodySpec<TSchema> = { json: Type.Unknown(), limit: 64 * 1024 };

interface Dispatched {
  route: Route;
  params: Record<string, string>;
  asker: Asker;
  underWay: UnderWay;
  services: Pick<Services, 'confirmations' | 'pageSessions' | 'port'>;
}

/** Runs one route: body and query are checked against its schemas, a page has what it needs, the reply becomes the response. */
export async function dispatch(
  ctx: Context,
  { route, params, asker: { identity, session }, underWay, services }: Dispatched,
): Promise<void> {
  const query = singleValues(ctx.query);
  if (route.query !== undefined) validate(route.query, query, 'query');
  const { body, zip, bytes } =
    hasBody(ctx) || route.body !== undefined
      ? await bodyOf(ctx, route.body ?? UNUSED_BODY)
      : { body: undefined, zip: null, bytes: NO_BYTES };
  // Checked just above; the handler's own types come from the same schemas.
  const request = {
    params,
    query,
    body,
    zip,
    header: (name: string) => ctx.get(name),
    signal: () => signalOf(ctx.res, underWay),
    identity,
    session,
  } as unknown as RouteRequest<never, never>;
  if (session !== null) {
    const bodySha256 = createHash('sha256').update(bytes).digest('hex');
    const asked = { sessionId: session.id, method: ctx.method, target: ctx.url, bodySha256 };
    const { confirmations, port } = services;
    await requireConfirmation({ route, request, asked, confirmations, port: port() });
  }
  const reply = await route.handle(request);
  if (session !== null && reply.body instanceof Readable) services.pageSessions.hold(session.id, reply.body);
  send(ctx, reply);
}

/** Made only for routes that ask for it. The response closes without having ended when the client hangs up. */
export function signalOf(res: ServerResponse, underWay: UnderWay): StopSignal {
  const stop = new Stop();
  const leave = (): void => {
    underWay.delete(stop);
    if (!res.writableFinished) stop.abort(new ForgeError('cancelled', 'the client went away'));
  };
  if (res.destroyed) leave();
  else {
    underWay.add(stop);
    res.once('close', leave);
  }
  return stop;
}

function hasBody(ctx: Context): boolean {
  return Number(ctx.get('content-length') || 0) > 0 || ctx.get('transfer-encoding') !== '';
}

interface ReadBody {
  body: unknown;
  zip: Uint8Array | null;
  bytes: Uint8Array;
}

async function bodyOf(ctx: Context, spec: BodySpec<TSchema>): Promise<ReadBody> {
  const type = ctx.get('content-type');
  const isZip = spec.zip === true && ZIP_TYPES.test(type);
  if (!isZip && !JSON_TYPE.test(type)) {
    const wanted = spec.zip === true ? 'application/json or application/zip' : 'application/json';
    throw new ForgeError(
      'unsupported_media_type',
      `the body must be ${wanted}, not ${type === '' ? 'untyped' : type.slice(0, 60)}`,
    );
  }
  const bytes = await readBody(ctx.req, spec.limit ?? DEFAULT_BODY_LIMIT);
  if (isZip) return { body: undefined, zip: bytes, bytes };
  const body = parseJson(bytes);
  validate(spec.json, body, 'body');
  return { body, zip: null, bytes };
}

function send(ctx: Context, reply: Reply): void {
  ctx.status = reply.status ?? (reply.body === undefined && reply.json === undefined ? 204 : 200);
  if (reply.headers !== undefined) ctx.set(reply.headers);
  if (reply.cookie !== undefined) {
    const { name, value, maxAgeSec } = reply.cookie;
    ctx.append(
      'Set-Cookie',
      `${name}=${value ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${value === null ? 0 : maxAgeSec}`,
    );
  }
  // Koa would first see whether an object is one of the web's body types, and load Node's whole fetch to find out.
  const json = jsonOf(reply);
  if (json !== null) {
    ctx.set('Content-Type', 'application/json; charset=utf-8');
    ctx.body = json;
  } else if (reply.body !== undefined) ctx.body = reply.body;
}

/** The JSON text of a reply; null when it is something else. */
export function jsonOf({ json, body }: Reply): string | null {
  return json ?? (isPlain(body) ? JSON.stringify(body) : null);
}

function isPlain(body: unknown): boolean {
  return isRecord(body) && Object.getPrototypeOf(body) === Object.prototype;
}

/** A repeated query parameter counts once, with its last value. */
function singleValues(query: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? (value.at(-1) ?? '') : value]],
    ),
  );
}
