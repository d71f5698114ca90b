import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** More than Forge takes in. */
const HUGE_BYTES = 11 * 1024 * 1024;
const BOMB = gzipSync(Buffer.alloc(HUGE_BYTES, 'x'));
/** A bearer is good for this many requests; then the service asks for another one. */
const BEARER_USES = 500;
const LARGE_ITEMS = 200;
const LARGE_TEXT = 'A sentence that is long enough to matter. '.repeat(24);

/** A service on this computer that answers in every way a service can. */
export interface FaultyUpstream {
  url: string;
  /** The same service at an address of its own, where connections may be broken. */
  flakyUrl: string;
  /** An address that nothing may ever be sent to. */
  foreignUrl: string;
  /** How often a request with this id arrived. */
  seen(id: string): number;
  /** Waits until requests with all of these ids have arrived. */
  arrived(ids: readonly string[]): Promise<void>;
  /** Answers a request of the kind `hold`. */
  release(id: string): void;
  /** How many bearers were handed out, and how many were used up. */
  bearers: { given: number; usedUp: number };
  /** Requests that came to the address nothing may be sent to. */
  strayed: string[];
  dropConnections(): void;
}

type Answer = (id: string, response: ServerResponse, request: IncomingMessage) => void;

/** What a request of the kind `large` is answered with: the id stands at both ends of it. */
function largeAnswer(id: string): string {
  const items = Array.from({ length: LARGE_ITEMS }, (_, number) => ({
    number,
    text: LARGE_TEXT,
    mark: `${id}-${number}`,
  }));
  return JSON.stringify({ id, items, end: id });
}

export async function startFaultyUpstream(): Promise<FaultyUpstream> {
  const counts = new Map<string, number>();
  const held = new Map<string, ServerResponse>();
  const waiting = new Set<() => void>();
  const strayed: string[] = [];
  const bearers = { given: 0, usedUp: 0 };
  const foreign = await listen((request, response) => {
    strayed.push(request.url ?? '');
    response.end();
  });
  const answers = { ...plainAnswers(foreign.url), ...countingAnswers(counts), ...bearerAnswers(bearers), hold };
  function hold(id: string, response: ServerResponse): void {
    held.set(id, response);
  }

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    readText(request, (text) => {
      const [, kind = '', part = ''] = (request.url ?? '').split('/');
      const id = kind === 'echo' ? String((JSON.parse(text) as { id: unknown }).id) : part;
      counts.set(id, (counts.get(id) ?? 0) + 1);
      for (const check of waiting) check();
      if (kind === 'echo') response.end(text);
      else answerOf(answers, kind)(id, response, request);
    });
  };
  const main = await listen(serve);
  const flaky = await listen(serve);
  return {
    url: main.url,
    flakyUrl: flaky.url,
    foreignUrl: foreign.url,
    seen: (id) => counts.get(id) ?? 0,
    arrived: (ids) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!ids.every((id) => counts.has(id))) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    release: (id) => held.get(id)?.end(JSON.stringify({ id })),
    bearers,
    strayed,
    dropConnections: () => {
      main.server.closeAllConnections();
      flaky.server.closeAllConnections();
    },
  };
}

/** Kinds of answers by the first part of the path. */
function plainAnswers(foreignUrl: string): Record<string, Answer> {
  return {
    ok: (id, response) => response.end(JSON.stringify({ id })),
    slow: (id, response) =>
      void setTimeout(() => response.end(JSON.stringify({ id })), 20 + (Number(id.slice(1)) % 180)),
    silent: () => undefined,
    broken: (id, response) =>
      response
        .writeHead(500, { 'content-type': 'application/json' })
        .end(JSON.stringify({ message: `no ${id} today` })),
    midway: (id, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write(`{"id":"${id}",`, () => response.destroy());
    },
    hangup: (_id, response) => response.destroy(),
    'not-http': (id, response) => response.socket?.end(`220 ${id} this is not the protocol you are looking for\r\n`),
    'not-json': (id, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"id": "${id}", "and": [then`),
    large: (id, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(largeAnswer(id)),
    huge: (_id, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': HUGE_BYTES });
      response.write('x'.repeat(1000));
    },
    bomb: (_id, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(BOMB),
    'limited-long': (_id, response) => response.writeHead(429, { 'retry-after': '120' }).end('later'),
    moved: (id, response) => response.writeHead(302, { location: `/ok/${id}` }).end(),
    foreign: (id, response) => response.writeHead(302, { location: `${foreignUrl}/ok/${id}` }).end(),
  };
}

function countingAnswers(counts: ReadonlyMap<string, number>): Record<string, Answer> {
  return {
    limited: (id, response) => {
      if (counts.get(id) === 1) response.writeHead(429, { 'retry-after': '0' }).end('in a moment');
      else response.end(JSON.stringify({ id }));
    },
  };
}

/** A login whose bearers are used up now and then, so that calls meet a 401 in the middle of everything. */
function bearerAnswers(bearers: { given: number; usedUp: number }): Record<string, Answer> {
  let uses = 0;
  const current = () => `load-bearer-${bearers.given}`;
  return {
    login: (_id, response) => {
      bearers.given += 1;
      uses = 0;
      response.end(JSON.stringify({ token: current(), expiresInMilliseconds: 3_600_000 }));
    },
    bearer: (id, response, request) => {
      const isGood = request.headers.authorization === `Bearer ${current()}` && uses < BEARER_USES;
      if (!isGood) {
        response.writeHead(401).end();
        return;
      }
      uses += 1;
      if (uses === BEARER_USES) bearers.usedUp += 1;
      response.end(JSON.stringify({ id }));
    },
  };
}

function answerOf(answers: Readonly<Record<string, Answer>>, kind: string): Answer {
  const answer = Object.hasOwn(answers, kind) ? answers[kind] : undefined;
  return answer ?? ((_id, response) => response.writeHead(404).end());
}

function readText(request: IncomingMessage, then: (text: string) => void): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (text += chunk));
  request.on('end', () => then(text));
}

async function listen(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; server: Server }> {
  // It never ends an idle connection by itself: a request that meets such an end would be a fault nobody asked for.
  const server = createServer({ keepAliveTimeout: 0 }, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has an address of this kind.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
