import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loginPage, ordersPage } from './demo-pages.ts';
import { demoOrders, type Order } from './orders.ts';

const USER = 'demo';
/** Everybody may know it; the shop has nothing to lose. */
export const DEMO_PASSWORD = 'hammer-and-tongs';
const BASIC = `Basic ${Buffer.from(`${USER}:${DEMO_PASSWORD}`).toString('base64')}`;
const COOKIE = 'demo_shop';
const MAX_BODY = 10_000;

interface Visit {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  cookie: string;
  authorization: string;
}

interface Answer {
  status: number;
  type: 'text/html; charset=utf-8' | 'application/json';
  text: string;
  headers?: Record<string, string>;
}

/**
 * A made-up shop with a login, to try tools on. It has a port of its own, so that to a browser it is another site than Forge: its pages can
 * neither read nor call Forge.
 */
export function createDemoSite() {
  const orders = demoOrders();
  const session = randomBytes(16).toString('hex');
  let server: Server | null = null;

  const answer = (visit: Visit): Answer => {
    if (visit.path.startsWith('/api/')) {
      return visit.authorization === BASIC ? answerApi(orders, visit) : json(401, { error: 'wrong user or password' });
    }
    if (visit.path === '/login') return answerLogin(visit, session);
    if (!visit.cookie.split(/;\s*/).includes(`${COOKIE}=${session}`)) return redirect('/login');
    return visit.path === '/orders' ? html(200, ordersPage(orders)) : redirect('/orders');
  };

  return {
    /** The port it listens on; null while it does not. */
    port: () => (server === null ? null : (server.address() as AddressInfo).port), // of a TCP server that listens
    /** Listens on this port, or on any free one when it is taken. */
    async start(wanted: number): Promise<void> {
      if (server !== null) return;
      const handle = (request: IncomingMessage, response: ServerResponse) => void serve(request, response, answer);
      server = (await listen(createServer(handle), wanted)) ?? (await listen(createServer(handle), 0));
    },
    async close(): Promise<void> {
      const closing = server;
      server = null;
      closing?.closeAllConnections();
      await new Promise<void>((resolve) => (closing === null ? resolve() : closing.close(() => resolve())));
    },
  };
}

function answerApi(orders: Order[], { method, path, query, body }: Visit): Answer {
  const open = orders.filter(({ status }) => status === 'open').length;
  if (method === 'GET' && path === '/api/me') return json(200, { name: USER, open_orders: open });
  if (method === 'GET' && path === '/api/orders') {
    const wanted = query.get('status') ?? 'all';
    return json(200, { orders: orders.filter(({ status }) => wanted === 'all' || status === wanted) });
  }
  const [, number] = /^\/api\/orders\/(\d+)\/notes$/.exec(path) ?? [];
  const order = orders.find((candidate) => String(candidate.number) === number);
  if (method !== 'POST' || order === undefined) return json(404, { error: 'there is no such order' });
  const text = noteIn(body);
  if (text === null) return json(400, { error: 'a note is {"text": "…"}' });
  order.notes.push(text);
  return json(200, order);
}

function noteIn(body: string): string | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && 'text' in value ? String(value.text) : null;
  } catch {
    return null;
  }
}

function answerLogin({ method, body }: Visit, session: string): Answer {
  if (method !== 'POST') return html(200, loginPage(USER, DEMO_PASSWORD, ''));
  const form = new URLSearchParams(body);
  if (form.get('user') !== USER || form.get('password') !== DEMO_PASSWORD)
    return html(401, loginPage(USER, DEMO_PASSWORD, 'That is not right.'));
  return redirect('/orders', { 'Set-Cookie': `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict` });
}

const html = (status: number, text: string): Answer => ({ status, type: 'text/html; charset=utf-8', text });
const json = (status: number, value: unknown): Answer => ({
  ...{ status, type: 'application/json' },
  text: JSON.stringify(value),
});
const redirect = (to: string, headers: Record<string, string> = {}): Answer => ({
  ...html(303, ''),
  headers: { ...headers, Location: to },
});

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (visit: Visit) => Answer,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://demo');
  const body = await readText(request);
  const { status, type, text, headers } =
    body === null
      ? json(413, { error: 'that is too much' })
      : answer({
          method: request.method ?? 'GET',
          path: url.pathname,
          query: url.searchParams,
          body,
          cookie: request.headers.cookie ?? '',
          authorization: request.headers.authorization ?? '',
        });
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(text);
}

/** The body of a request; null when it is more than a form or a note can be. */
async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The server once it listens; null when the port is taken. */
function listen(server: Server, port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen({ host: '127.0.0.1', port }, () => resolve(server));
  });
}
