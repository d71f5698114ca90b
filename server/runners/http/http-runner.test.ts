import { getEventListeners, once } from 'node:events';
import type http from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ForgeError } from '../../../shared/errors.ts';
import { FORGE_VERSION } from '../../version.ts';
import { createHttpRunner } from './http-runner.ts';
import { fakeLookup, job, testRunner } from './testing/runner.ts';
import { httpServer, rawServer } from './testing/servers.ts';

/** Answers with what it was sent. */
const echo: http.RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
};

describe('a request', () => {
  it('is sent with its method, path, query, headers and body', async () => {
    const server = await httpServer(echo);
    const response = await testRunner().run(`${server.origin}/a%2Fb/c?q=1&r=%20`, {
      method: 'PATCH',
      headers: { 'X-Key': 'v', 'content-type': 'application/json' },
      body: '{"grüß":1}',
    });
    const sent = JSON.parse(response.body.toString());
    expect(sent).toMatchObject({ method: 'PATCH', url: '/a%2Fb/c?q=1&r=%20', body: '{"grüß":1}' });
    expect(sent.headers).toMatchObject({
      host: new URL(server.origin).host,
      'x-key': 'v',
      'content-type': 'application/json',
      'content-length': '12',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': `Forge/${FORGE_VERSION}`,
    });
    expect(response).toMatchObject({
      kind: 'http',
      method: 'PATCH',
      url: `${server.origin}/a%2Fb/c?q=1&r=%20`,
      status: 200,
      statusText: 'OK',
      redirectedTo: null,
    });
  });

  it('keeps the headers the job sets itself, in whatever case', async () => {
    const server = await httpServer(echo);
    const headers = { 'Accept-Encoding': 'identity', 'USER-AGENT': 'curl/8' };
    const response = await testRunner().run(server.origin, { headers });
    expect(JSON.parse(response.body.toString()).headers).toMatchObject({
      'accept-encoding': 'identity',
      'user-agent': 'curl/8',
    });
  });

  it('uses one connection for many calls', async () => {
    const server = await httpServer(echo);
    const runner = testRunner();
    for (let count = 0; count < 20; count += 1) {
      await runner.run(server.origin, { method: 'POST', body: 'x' });
      // A connection is free again on the next turn of the event loop.
      await nextTurn();
    }
    expect(server.connections()).toBe(1);
  });

  it('that is watched tells how far it gets, on a connection of its own', async () => {
    const server = await httpServer(echo);
    const stages: string[] = [];
    const onStage = (stage: string) => void stages.push(stage);
    const lookup = fakeLookup(['127.0.0.1']);
    const runner = createHttpRunner({ ownPorts: () => [], lookup });
    onTestFinished(() => runner.close());
    const { signal } = new AbortController();
    const { port } = new URL(server.origin);
    await runner.run(job(server.origin), { signal });
    await runner.run(job(server.origin), { signal, onStage });
    await runner.run(job(`http://a.test:${port}/`), { signal, onStage });
    expect([stages, lookup.asked, server.connections()]).toEqual([
      ['resolve', 'connect', 'resolve', 'connect'],
      ['a.test'],
      3,
    ]);
    stages.length = 0;
    lookup.asked.length = 0;
    await expect(runner.run(job('http://127.0.0.1:1/'), { signal, onStage })).rejects.toThrow();
    expect(stages).toEqual(['resolve']);
  });

  it.each(['ftp://files.test/', 'not a url'])('to %s is turned down in words', async (url) => {
    const error = await testRunner().fail(url);
    expect([error.code, error.hint]).toEqual(['upstream_unreachable', expect.stringContaining('http://')]);
  });

  it.each([
    ['transfer-encoding', 'chunked'],
    ['expect', '100-continue'],
    ['content-length', '5'],
  ])('that sets %s is turned down before it is sent', async (name, value) => {
    const server = await httpServer(echo);
    const error = await testRunner().fail(server.origin, { method: 'POST', headers: { [name]: value }, body: 'x' });
    expect(error.code).toBe('unsafe_value');
  });
});

describe('an answer', () => {
  it('has its header names in lower case and repeated headers joined', async () => {
    const server = await httpServer((_request, response) => {
      response.writeHead(418, 'Short and stout', { 'X-Many': ['a', 'b'], 'Set-Cookie': ['c=1', 'd=2'] }).end('no');
    });
    const response = await testRunner().run(server.origin);
    expect(response).toMatchObject({ status: 418, statusText: 'Short and stout' });
    expect(response.headers).toMatchObject({ 'x-many': 'a, b', 'set-cookie': 'c=1, d=2' });
  });

  it.each([
    ['HEAD', 200, { 'content-length': '99999999', 'content-encoding': 'gzip' }],
    ['GET', 204, { 'content-encoding': 'gzip' }],
    ['GET', 304, { 'content-length': '99999999' }],
  ])('to %s with status %i has no body', async (method, status, headers) => {
    const server = await httpServer((_request, response) => response.writeHead(status, headers).end());
    const runner = testRunner({ maxResponseBytes: method === 'HEAD' ? 1000 : 100_000_000 });
    const response = await runner.run(server.origin, { method });
    expect(response).toMatchObject({ status, headers, body: Buffer.alloc(0) });
  });

  it('counts from its final headers on, early hints are passed over', async () => {
    const server = await httpServer((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.end('later');
    });
    const response = await testRunner().run(server.origin);
    expect([response.status, response.body.toString()]).toEqual([200, 'later']);
  });

  it('may come in many pieces, and may end with the connection', async () => {
    const server = await rawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        for (let count = 0; count < 500; count += 1) socket.write('x'.repeat(1000));
        socket.end();
      });
    });
    const response = await testRunner().run(server.origin);
    expect(response.body.toString()).toBe('x'.repeat(500_000));
  });
});

describe('an answer that is too large', () => {
  it('is refused by the length it announces', async () => {
    const server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1001' }).write('x');
    });
    const error = await testRunner({ maxResponseBytes: 1000 }).fail(server.origin);
    expect([error.code, error.message]).toEqual([
      'response_too_large',
      `the answer of ${new URL(server.origin).host} is larger than 1000 bytes`,
    ]);
  });

  it('is refused when it does not announce its length, and the connection is ended', async () => {
    let ended: Promise<unknown> | undefined;
    const server = await httpServer((_request, response) => {
      ended = once(response, 'close');
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(60_000)));
      };
      response.on('drain', more);
      more();
    });
    const error = await testRunner().fail(server.origin);
    expect([error.code, error.message]).toEqual(['response_too_large', expect.stringContaining('larger than 10 MiB')]);
    await ended;
  });

  it('is taken when it is exactly as large as allowed', async () => {
    const server = await httpServer((_request, response) => {
      response.write('x'.repeat(500));
      response.end('x'.repeat(500));
    });
    expect((await testRunner({ maxResponseBytes: 1000 }).run(server.origin)).body).toHaveLength(1000);
  });

  it('is refused when its headers are too large', async () => {
    const server = await httpServer((_request, response) => response.setHeader('x-big', 'x'.repeat(20_000)).end());
    expect((await testRunner().fail(server.origin)).code).toBe('response_too_large');
  });
});

describe('C-55 the time a call may take', () => {
  it('C-55 covers the connection', async () => {
    const error = await testRunner({ lookup: () => undefined }).fail('http://api.test/', { timeoutMs: 20 });
    expect([error.code, error.message]).toEqual([
      'upstream_timeout',
      'api.test did not accept a connection within 20 ms',
    ]);
  });

  it('C-55 covers the wait for an answer', async () => {
    const server = await httpServer(() => undefined);
    const error = await testRunner().fail(server.origin, { timeoutMs: 50 });
    expect([error.code, error.message]).toEqual([
      'upstream_timeout',
      expect.stringMatching(/ did not answer within 50 ms$/),
    ]);
    expect(error.hint).toContain('Try again');
  });

  it('C-55 covers the answer to its end, however steadily it drips', async () => {
    const server = await httpServer((_request, response) => {
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    const error = await testRunner().fail(server.origin, { timeoutMs: 100 });
    expect([error.code, error.message]).toEqual([
      'upstream_timeout',
      expect.stringMatching(/ did not finish its answer within 100 ms$/),
    ]);
  });

  it('C-55 does not take early hints for the beginning of an answer', async () => {
    const server = await httpServer((_request, response) =>
      response.writeEarlyHints({ link: '</a.css>; rel=preload' }),
    );
    const error = await testRunner().fail(server.origin, { timeoutMs: 900 });
    expect(error.message).toMatch(/ did not answer within 900 ms$/);
  });

  it('C-55 warns against repeating a write that timed out', async () => {
    const server = await httpServer(() => undefined);
    const error = await testRunner().fail(server.origin, { method: 'POST', timeoutMs: 50 });
    expect(error.hint).toContain('not known whether the service carried the request out');
  });

  it('C-55 ends the connection of a call that timed out', async () => {
    let closed: Promise<unknown> | undefined;
    const server = await httpServer((_request, response) => {
      closed = once(response, 'close');
    });
    await testRunner().fail(server.origin, { timeoutMs: 50 });
    await closed;
    expect(server.connections()).toBe(1);
  });
});

describe('a call that is stopped', () => {
  it('before it begins sends nothing', async () => {
    const server = await httpServer(echo);
    const error = await testRunner().fail(server.origin, {}, AbortSignal.abort());
    expect(error.code).toBe('cancelled');
    expect(server.connections()).toBe(0);
  });

  it('in the middle of the answer ends at once, and so does the connection', async () => {
    const caller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const server = await httpServer((_request, response) => {
      closed = once(response, 'close');
      response.write('the first half');
      setImmediate(() => caller.abort());
    });
    const error = await testRunner().fail(server.origin, {}, caller.signal);
    expect(error.code).toBe('cancelled');
    await closed;
  });

  it('while the name is being looked up is never sent, even if the connection comes about', async () => {
    const caller = new AbortController();
    let received = '';
    let closed: () => void = () => undefined;
    const ending = new Promise<void>((resolve) => (closed = resolve));
    const server = await rawServer((socket) => {
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('close', closed);
    });
    let found: () => void = () => undefined;
    const runner = testRunner({
      lookup: (_hostname, _options, callback) => {
        found = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
        caller.abort();
      },
    });
    expect((await runner.fail(`http://api.test:${server.port}/`, {}, caller.signal)).code).toBe('cancelled');
    found();
    await ending;
    expect([server.connections(), received]).toEqual([1, '']);
  });

  it('for a reason with a code of its own ends with that', async () => {
    const server = await httpServer(() => undefined);
    const reason = new ForgeError('shutting_down', 'Forge is stopping');
    const caller = new AbortController();
    const failure = testRunner().fail(server.origin, {}, caller.signal);
    caller.abort(reason);
    expect(await failure).toBe(reason);
  });

  it('leaves no listener on the caller’s signal', async () => {
    const server = await httpServer(echo);
    const { signal } = new AbortController();
    await testRunner().run(server.origin, {}, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('by closing the runner says that Forge is stopping, as does every later call', async () => {
    const runner = testRunner();
    let arrived: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const server = await httpServer(() => arrived());
    const failure = runner.fail(server.origin);
    await arrival;
    await runner.close();
    expect((await failure).code).toBe('shutting_down');
    expect((await runner.fail(server.origin)).code).toBe('shutting_down');
  });
});
