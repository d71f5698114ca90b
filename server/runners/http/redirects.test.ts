import type http from 'node:http';
import { describe, expect, it } from 'vitest';
import { testRunner } from './testing/runner.ts';
import { httpServer } from './testing/servers.ts';

/** Redirects /start and tells what arrives elsewhere. */
function redirecting(status: number, location: string, seen: http.IncomingMessage[] = []) {
  return httpServer((request, response) => {
    seen.push(request);
    if (request.url?.startsWith('/start')) {
      response.writeHead(status, { location }).end('moved');
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => response.end(JSON.stringify({ method: request.method, url: request.url, body })));
  });
}

describe('K-63 redirects within the origin', () => {
  it.each([
    [301, 'GET', 'GET', ''],
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', 'the body'],
    [308, 'POST', 'POST', 'the body'],
    [308, 'GET', 'GET', ''],
    [301, 'PUT', 'PUT', 'the body'],
    [302, 'DELETE', 'DELETE', 'the body'],
  ])('K-63 %i of %s becomes %s with body %j', async (status, method, nextMethod, body) => {
    const seen: http.IncomingMessage[] = [];
    const server = await redirecting(status, '/next?page=2', seen);
    const response = await testRunner().run(`${server.origin}/start`, {
      method,
      headers: { 'Content-Type': 'text/plain', authorization: 'Bearer t' },
      body: method === 'GET' ? null : 'the body',
    });
    expect(JSON.parse(response.body.toString())).toEqual({ method: nextMethod, url: '/next?page=2', body });
    expect(response).toMatchObject({ method: nextMethod, url: `${server.origin}/next?page=2`, redirectedTo: null });
    expect(seen[1]?.headers.authorization).toBe('Bearer t');
    const keepsBody = nextMethod === method;
    expect(seen[1]?.headers['content-type']).toBe(keepsBody ? 'text/plain' : undefined);
  });

  it('K-63 stays on the same connection', async () => {
    const server = await redirecting(307, '/next');
    await testRunner().run(`${server.origin}/start`, { method: 'POST', body: 'x' });
    expect(server.connections()).toBe(1);
  });

  it('K-63 keeps HEAD a HEAD', async () => {
    const server = await redirecting(303, '/next');
    expect(await testRunner().run(`${server.origin}/start`, { method: 'HEAD' })).toMatchObject({
      method: 'HEAD',
      status: 200,
    });
  });

  it.each(['next', './next', '//HOST/next', 'http://HOST/next', 'http://user:pw@HOST/next#part'])(
    'K-63 understands %s',
    async (location) => {
      const paths: (string | undefined)[] = [];
      const server = await httpServer((request, response) => {
        paths.push(request.url);
        if (request.url !== '/start') response.end();
        else response.writeHead(302, { location: location.replace('HOST', request.headers.host ?? '') }).end();
      });
      await testRunner().run(`${server.origin}/start`);
      expect(paths).toEqual(['/start', '/next']);
    },
  );

  it('K-63 follows five in a row and refuses the sixth', async () => {
    const server = await httpServer((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('arrived');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await testRunner().run(`${server.origin}/5`)).body.toString()).toBe('arrived');
    const error = await testRunner().fail(`${server.origin}/6`);
    expect([error.code, error.message]).toEqual([
      'redirect_refused',
      `127.0.0.1:${server.port} redirected more than 5 times, at last to /0`,
    ]);
  });

  it('K-63 refuses a loop', async () => {
    let requests = 0;
    const server = await httpServer((_request, response) => {
      requests += 1;
      response.writeHead(307, { location: '/' }).end();
    });
    expect((await testRunner().fail(server.origin)).code).toBe('redirect_refused');
    expect(requests).toBe(6);
  });
});

describe('K-63 redirects to another origin', () => {
  it.each([301, 302, 303, 307, 308])(
    'K-63 %i is handed back with where it points, and not followed',
    async (status) => {
      const other = await httpServer((_request, response) => response.end());
      const server = await redirecting(status, `${other.origin}/next?token=t`);
      const response = await testRunner().run(`${server.origin}/start`, { method: 'POST', body: 'password' });
      expect(response).toMatchObject({ status, redirectedTo: `${other.origin}/next?token=t` });
      expect(response.body.toString()).toBe('moved');
      expect(other.connections()).toBe(0);
    },
  );

  it('K-63 another scheme, port or host is another origin', async () => {
    for (const location of ['https://HOST/', 'http://127.0.0.1:1/', 'http://localhost/', 'file:///etc/passwd']) {
      const server = await httpServer((request, response) => {
        response.writeHead(302, { location: location.replace('HOST', request.headers.host ?? '') }).end();
      });
      const response = await testRunner().run(server.origin);
      expect(response.redirectedTo).toBe(location.replace('HOST', `127.0.0.1:${server.port}`));
    }
  });

  it.each([
    [302, { location: 'http://' }],
    [302, {}],
    [300, { location: '/next' }],
    [304, { location: '/next' }],
    [201, { location: '/next' }],
  ])('K-63 %i with %j is an answer like any other', async (status, headers) => {
    const server = await httpServer((_request, response) => response.writeHead(status, headers).end());
    expect(await testRunner().run(server.origin)).toMatchObject({ status, redirectedTo: null });
    expect(server.connections()).toBe(1);
  });
});
