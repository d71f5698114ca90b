import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Identity } from '../mcp/peer.ts';
import { DEFAULT_BODY_LIMIT, JSON_TYPE, jsonOf, signalOf, type UnderWay } from './dispatch.ts';
import type { Metrics } from './metrics.ts';
import type { TellError } from './middleware/answer-errors.ts';
import { isOwnHost } from './middleware/guard.ts';
import { identifyByToken } from './middleware/identify.ts';
import { tokenIn } from './middleware/require-token.ts';
import { SECURITY_HEADERS_OF_DATA } from './middleware/security-headers.ts';
import { parseJson, readBody } from './read-body.ts';
import type { Reply, Route, RouteRequest } from './route.ts';
import type { Services } from './services.ts';
import { validate } from './validate.ts';

interface DirectOptions {
  routes: readonly Route[];
  services: Services;
  metrics: Metrics;
  tellError: TellError;
  underWay: UnderWay;
  /** True once no connection is to be kept. */
  isStopping: () => boolean;
}

/** A request that needs nothing but its route: what it is for, and who asks. */
interface Plain {
  route: Route;
  params: Record<string, string>;
  identity: Identity;
}

/** Takes a request and answers it, or says that it is not one of its own. */
type Direct = (req: IncomingMessage, res: ServerResponse) => boolean;

const FIXED_HEADERS = Object.entries(SECURITY_HEADERS_OF_DATA).flat();
/** Addresses that are remembered, of whoever asks; nobody has as many tools, nor any with such a name. */
const MAX_KNOWN = 5000;
const MAX_KNOWN_CHARS = 200;
/** Marks of a request that was sent by some page; whether it may is decided elsewhere. */
const NEEDS_MORE = ['origin', 'sec-fetch-site', 'cookie'];

/**
 * The short way to a tool. A context of Koa's costs as much as everything else between a program and the tool it calls, so a call
 * that is as plain as programs send it does without: one JSON body of a stated length, with a token that is right. Everything
 * else, and so everything that is refused, takes the way through the middleware.
 */
export function answerDirectly(options: DirectOptions): Direct {
  const { routes, services, metrics, tellError, underWay, isStopping } = options;
  const find = finder(routes);

  const recognised = (req: IncomingMessage): Plain | null => {
    const found = find(req.method ?? '', req.url ?? '');
    if (found === null || !isPlain(req, services.port(), found.route.body?.limit ?? DEFAULT_BODY_LIMIT)) return null;
    const header = (name: string) => headerOf(req, name);
    const identity = identifyByToken(tokenIn(req.headers), found.route.access, header, services);
    return identity === null ? null : { ...found, identity };
  };
  /** Nobody catches what is thrown here; the middleware meets the same failure, and tells it. */
  const recognise = (req: IncomingMessage): Plain | null => {
    try {
      return recognised(req);
    } catch {
      return null;
    }
  };

  const answer = async (req: IncomingMessage, res: ServerResponse, plain: Plain): Promise<void> => {
    const started = performance.now();
    const { route } = plain;
    let reply: Reply;
    try {
      const body = parseJson(await readBody(req, Number(req.headers['content-length'])));
      reply = await route.handle(requestOf(req, res, plain, body, underWay));
    } catch (failure) {
      // It leads to the failure's line in Forge's log; nothing else is logged here, and a call has an id of its own.
      const requestId = randomUUID();
      const { error, json } = tellError(failure, { requestId, method: route.method, path: route.path });
      reply = { status: error.status, json, headers: { 'X-Request-Id': requestId } };
    }
    const isLast = isStopping() || !req.complete;
    send(res, isLast ? { ...reply, headers: { ...reply.headers, Connection: 'close' } } : reply);
    metrics.request(route.method, route.path, res.statusCode, (performance.now() - started) / 1000);
  };

  return (req, res) => {
    const plain = isStopping() ? null : recognise(req);
    if (plain === null) return false;
    void answer(req, res, plain);
    return true;
  };
}

type Found = Pick<Plain, 'route' | 'params'>;

/** Finds the route of an address. There are as many addresses as tools, and each is taken apart once. */
function finder(routes: readonly Route[]): (method: string, url: string) => Found | null {
  const candidates = routes.flatMap((route) => (route.direct === true ? [{ route, path: pathPattern(route) }] : []));
  const known = new Map<string, Found>();
  return (method, url) => {
    const seen = known.get(url);
    if (seen?.route.method === method) return seen;
    for (const { route, path } of candidates) {
      const match = route.method === method ? path.exec(url) : null;
      if (match === null) continue;
      const found = { route, params: { ...match.groups } };
      if (known.size >= MAX_KNOWN) known.clear();
      if (url.length <= MAX_KNOWN_CHARS) known.set(url, found);
      return found;
    }
    return null;
  };
}

/** `/api/tools/:id/call` as an expression; only names that need no decoding are taken. */
function pathPattern({ path }: Route): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[\\w.-]+)')}$`);
}

function isPlain(req: IncomingMessage, port: number, limit: number): boolean {
  const { headers } = req;
  const length = Number(headers['content-length']);
  return (
    length > 0 &&
    length <= limit &&
    headers['transfer-encoding'] === undefined &&
    JSON_TYPE.test(headers['content-type'] ?? '') &&
    isOwnHost(headers.host ?? '', port) &&
    NEEDS_MORE.every((name) => headers[name] === undefined)
  );
}

function requestOf(
  req: IncomingMessage,
  res: ServerResponse,
  { route, params, identity }: Plain,
  body: unknown,
  underWay: UnderWay,
): RouteRequest<never, never> {
  if (route.body !== undefined) validate(route.body.json, body, 'body');
  // Checked just above; the handler's own types come from the same schema.
  return {
    params,
    query: {},
    body,
    zip: null,
    header: (name: string) => headerOf(req, name),
    signal: () => signalOf(res, underWay),
    identity,
    session: null,
  } as unknown as RouteRequest<never, never>;
}

function headerOf(req: IncomingMessage, name: string): string {
  const value = req.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

function send(res: ServerResponse, reply: Reply): void {
  const headers = [...FIXED_HEADERS];
  for (const name in reply.headers) headers.push(name, reply.headers[name] ?? '');
  const json = jsonOf(reply);
  if (reply.body instanceof Readable) {
    res.writeHead(reply.status ?? 200, headers);
    pipeline(reply.body, res, () => undefined);
    return;
  }
  const text = json ?? (typeof reply.body === 'string' ? reply.body : '');
  if (json !== null) headers.push('Content-Type', 'application/json; charset=utf-8');
  const bytes = Buffer.byteLength(text);
  headers.push('Content-Length', String(bytes));
  res.writeHead(reply.status ?? 200, headers);
  // Text of as many bytes as characters is written without being converted.
  res.end(text, bytes === text.length ? 'latin1' : 'utf8');
}
