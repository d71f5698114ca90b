import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { manifest, testForge, type TestForge } from '../testing/forge.ts';
import type { Route } from './route.ts';

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A request with exactly these headers: fetch would not let a test lie about Host, Origin or Sec-Fetch-Site. */
function raw(
  forge: TestForge,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Raw> {
  const { hostname, port } = new URL(forge.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers, setHost: false, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    // The server may answer and close before a refused body has been sent.
    request.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
    );
    request.end(body);
  });
}

const ATTACKS = [
  'no token',
  'wrong token',
  'bad Host',
  'foreign Origin',
  'null Origin',
  'another port',
  'another site without Origin',
  'wrong content type',
  'no content type',
  'wrong method',
  'oversized body',
  'broken JSON',
] as const;
type Attack = (typeof ATTACKS)[number];

function attackRequest(forge: TestForge, route: Route, attack: Attack): Promise<Raw> {
  const host = new URL(forge.url).host;
  const path = route.path.replace(':id', 'demo');
  const headers: Record<string, string> = { Host: host, 'X-Forge-Token': forge.token };
  let method: string = route.method;
  const isAboutBody = ['wrong content type', 'no content type', 'oversized body', 'broken JSON'].includes(attack);
  let body: string | undefined = route.body === undefined && !isAboutBody ? undefined : '{}';
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  switch (attack) {
    case 'no token':
      delete headers['X-Forge-Token'];
      break;
    case 'wrong token':
      headers['X-Forge-Token'] = `${forge.token.slice(0, -1)}!`;
      break;
    case 'bad Host':
      headers['Host'] = 'evil.test';
      break;
    case 'foreign Origin':
      headers['Origin'] = 'https://evil.test';
      break;
    case 'null Origin':
      headers['Origin'] = 'null';
      break;
    case 'another port':
      headers['Origin'] = 'http://127.0.0.1:1';
      break;
    case 'another site without Origin':
      headers['Sec-Fetch-Site'] = 'same-site';
      break;
    case 'wrong content type':
      headers['Content-Type'] = 'text/plain';
      break;
    case 'no content type':
      delete headers['Content-Type'];
      break;
    case 'wrong method':
      method = 'OPTIONS';
      break;
    case 'oversized body':
      body = `{"x":"${'x'.repeat(Math.max(6 * 1024 * 1024, route.body?.limit ?? 0))}"}`;
      break;
    case 'broken JSON':
      body = '{"x":';
      break;
  }
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
  return raw(forge, method, path, headers, body);
}

/** The statuses an attack may get. */
function allowed(route: Route, attack: Attack): readonly number[] {
  const fine = [200, 201, 204, 400];
  if (
    attack === 'bad Host' ||
    attack === 'foreign Origin' ||
    attack === 'null Origin' ||
    attack === 'another port' ||
    attack === 'another site without Origin'
  )
    return [403];
  if (attack === 'wrong method') return route.access === 'open' ? [401, 405] : [405];
  if (attack === 'no token' || attack === 'wrong token') return route.access === 'open' ? [...fine, 401] : [401];
  if (attack === 'oversized body') return [413, 0];
  return attack === 'broken JSON' ? [400] : [415];
}

describe('K-54 before every route', () => {
  it('every route answers every attack with a refusal, and never with a failure of its own', async () => {
    const forge = await testForge();
    expect(forge.routes.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const route of forge.routes) {
      // The routes change what the others see; each starts from an installed connector.
      await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
      for (const attack of ATTACKS) {
        const { status, text } = await attackRequest(forge, route, attack);
        const isRotate = route.path === '/api/auth/rotate' && status === 200;
        if (isRotate) forge.token = JSON.parse(text).token as string;
        if (!allowed(route, attack).includes(status))
          wrong.push(`${route.method} ${route.path}, ${attack}: ${status} ${text.slice(0, 100)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('open routes are exactly these', async () => {
    const forge = await testForge();
    expect(
      forge.routes.filter(({ access }) => access === 'open').map(({ method, path }) => `${method} ${path}`),
    ).toEqual(['GET /api/health', 'POST /api/auth/login', 'POST /api/auth/logout']);
  });

  it.each(['127.0.0.1', 'localhost'])('K-54 answers to its own name %s', async (name) => {
    const forge = await testForge();
    const { port } = new URL(forge.url);
    expect((await raw(forge, 'GET', '/api/health', { Host: `${name}:${port}` })).status).toBe(200);
    expect((await raw(forge, 'GET', '/api/health', { Host: name })).status).toBe(403);
  });

  it('K-54 listens on loopback only', async () => {
    const forge = await testForge();
    const { port } = new URL(forge.url);
    const outside = await new Promise<string>((resolve) => {
      // The same port on another address of this computer.
      connect({ host: '127.0.0.2', port: Number(port) })
        .on('error', () => resolve('refused'))
        .on('connect', () => resolve('open'));
    });
    expect(outside).toBe('refused');
  });

  it('tells nobody without the token what exists', async () => {
    const forge = await testForge();
    const host = new URL(forge.url).host;
    for (const path of ['/api/nothing', '/api/connectors/nope', '/metrics', '/mcp', '/engine/v1/signals']) {
      expect((await raw(forge, 'GET', path, { Host: host })).status).toBe(401);
    }
    expect((await forge.request('GET', '/api/nothing')).body.error.code).toBe('not_found');
    expect((await forge.request('GET', '/nothing')).status).toBe(404);
  });

  it('names the methods that are possible', async () => {
    const forge = await testForge();
    const answer = await forge.request('POST', '/api/connectors/demo/settings', {});
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'PUT']);
  });

  it('sets the security headers on answers and on errors', async () => {
    const forge = await testForge();
    for (const path of ['/api/health', '/api/nothing']) {
      const { headers } = await forge.request('GET', path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it.each([
    ['deep nesting', `{"token":${'['.repeat(1500)}${']'.repeat(1500)}}`],
    ['half a surrogate', '{"token":"\\ud800"}'],
    ['a prototype', '{"__proto__":{"token":"x"}}'],
    ['an array', '[]'],
    ['nothing', ''],
    ['a number', '5'],
    ['an extra field', '{"token":"x","admin":true}'],
  ])('answers %s in a body with a clear error', async (_title, body) => {
    const forge = await testForge();
    const answer = await forge.request('POST', '/api/auth/login', body);
    expect([400, 401]).toContain(answer.status);
    expect(answer.body.error).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
      hint: expect.any(String),
    });
  });
});

describe('K-30 logging in', () => {
  it('sets a cookie that scripts cannot read, and that opens the API', async () => {
    const forge = await testForge();
    const login = await forge.request('POST', '/api/auth/login', { token: forge.token }, { 'X-Forge-Token': '' });
    expect(login.status).toBe(204);
    const cookie = login.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^forge_session_\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(cookie).not.toContain(forge.token);
    const session = cookie.slice(0, cookie.indexOf(';'));
    expect(
      (await forge.request('GET', '/api/connectors', undefined, { 'X-Forge-Token': '', Cookie: session })).status,
    ).toBe(200);
    await forge.request('POST', '/api/auth/rotate');
    expect(
      (await forge.request('GET', '/api/connectors', undefined, { 'X-Forge-Token': '', Cookie: session })).status,
    ).toBe(401);
  });

  it.each(['', 'x', 'a\nb', 'x'.repeat(2000)])('refuses the token %j', async (token) => {
    const forge = await testForge();
    const answer = await forge.request('POST', '/api/auth/login', { token });
    expect([400, 401]).toContain(answer.status);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('takes a token that was copied with a line break at its end', async () => {
    const forge = await testForge();
    expect((await forge.request('POST', '/api/auth/login', { token: `${forge.token}\n` })).status).toBe(204);
  });

  it('slows down guessing, and says for how long', async () => {
    const forge = await testForge();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await forge.request('POST', '/api/auth/login', { token: `guess ${attempt}` })).status).toBe(401);
    }
    const answer = await forge.request('POST', '/api/auth/login', { token: forge.token });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('K-30 replaces the token', async () => {
    const forge = await testForge();
    const { token } = (await forge.request('POST', '/api/auth/rotate')).body;
    expect((await forge.request('GET', '/api/tools')).status).toBe(401);
    expect((await forge.request('GET', '/api/tools', undefined, { 'X-Forge-Token': token })).status).toBe(200);
  });
});
