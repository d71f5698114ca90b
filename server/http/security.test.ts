import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { manifest, testForge, type TestForge } from '../testing/forge.ts';
import { signInPage, type SignedInPage } from '../testing/signed-in-page.ts';
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
  'Forge’s other name',
  'a cookie without its key',
  'a key without its cookie',
  'the key of another page',
  'a cookie made up',
  'wrong content type',
  'no content type',
  'wrong method',
  'oversized body',
  'broken JSON',
] as const;
type Attack = (typeof ATTACKS)[number];

interface Pages {
  own: SignedInPage;
  other: SignedInPage;
}

/** Requests that a page's session must not let through. */
function sessionHeaders({ own, other }: Pages, attack: Attack): Record<string, string> | null {
  switch (attack) {
    case 'a cookie without its key':
      return { Cookie: own.cookie };
    case 'a key without its cookie':
      return { 'X-Forge-Page-Key': own.key };
    case 'the key of another page':
      return { Cookie: own.cookie, 'X-Forge-Page-Key': other.key };
    case 'a cookie made up':
      return { Cookie: own.cookie.replace(/=.*/, `=${own.key}`), 'X-Forge-Page-Key': own.key };
    default:
      return null;
  }
}

function attackRequest(forge: TestForge, pages: Pages, route: Route, attack: Attack): Promise<Raw> {
  const host = new URL(forge.url).host;
  const path = route.path.replace(':id', 'demo');
  const headers: Record<string, string> = { Host: host, 'X-Forge-Token': forge.token };
  let method: string = route.method;
  const ofPage = sessionHeaders(pages, attack);
  if (ofPage !== null) {
    delete headers['X-Forge-Token'];
    Object.assign(headers, ofPage);
  }
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
    case 'Forge’s other name':
      headers['Origin'] = `http://localhost:${new URL(forge.url).port}`;
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

const NO_SESSION: ReadonlySet<Attack> = new Set([
  'a cookie without its key',
  'a key without its cookie',
  'the key of another page',
  'a cookie made up',
] as const);

/** The statuses an attack may get. */
function allowed(route: Route, attack: Attack): readonly number[] {
  const fine = [200, 201, 204, 400];
  if (
    attack === 'bad Host' ||
    attack === 'foreign Origin' ||
    attack === 'null Origin' ||
    attack === 'another port' ||
    attack === 'another site without Origin' ||
    attack === 'Forge’s other name'
  )
    return [403];
  if (attack === 'wrong method') return route.access === 'open' ? [401, 405] : [405];
  if (attack === 'no token' || attack === 'wrong token' || NO_SESSION.has(attack))
    return route.access === 'open' ? [...fine, 401] : [401];
  if (attack === 'oversized body') return [413, 0];
  return attack === 'broken JSON' ? [400] : [415];
}

describe('K-54 before every route', () => {
  it(
    'every route answers every attack with a refusal, and never with a failure of its own',
    { timeout: 240_000 },
    async () => {
      const forge = await testForge();
      expect(forge.routes.length).toBeGreaterThan(20);
      const pages = { own: await signInPage(forge), other: await signInPage(forge) };
      const wrong: string[] = [];
      for (const route of forge.routes) {
        // The routes change what the others see; each starts from an installed connector.
        await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
        for (const attack of ATTACKS) {
          const { status, text } = await attackRequest(forge, pages, route, attack);
          if (!allowed(route, attack).includes(status))
            wrong.push(`${route.method} ${route.path}, ${attack}: ${status} ${text.slice(0, 100)}`);
        }
      }
      expect(wrong).toEqual([]);
      // The pages were signed in all along, so it was not for want of a session that they were refused.
      for (const { headers } of Object.values(pages))
        expect((await forge.request('GET', '/api/tools', undefined, headers)).status).toBe(200);
    },
  );

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

  it.each(['/API/connectors', '/Api/health', '/api/Connectors', '/api/connectors/', '//api/tools', '/%61pi/tools'])(
    'S15 another spelling, %s, is guarded like /api and leads nowhere',
    async (path) => {
      const forge = await testForge();
      const host = new URL(forge.url).host;
      expect((await raw(forge, 'GET', path, { Host: host })).status).toBe(401);
      const visit = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
      expect((await raw(forge, 'GET', path, { Host: host, ...visit })).status).toBe(403);
      expect((await raw(forge, 'GET', path, { Host: host, 'X-Forge-Token': forge.token })).status).toBe(404);
    },
  );

  it('S1 the page is never under the name that confirmations have', async () => {
    const forge = await testForge();
    const { port } = new URL(forge.url);
    const host = { Host: `localhost:${port}` };
    for (const path of ['/', '/settings/connectors', '/assets/x.js', '//evil.test/']) {
      const { status, headers } = await raw(forge, 'GET', path, host);
      expect([status, headers['location']]).toEqual([302, `http://127.0.0.1:${port}${path}`]);
    }
    expect((await raw(forge, 'POST', '/', host)).status).toBe(404);
    const program = { ...host, 'X-Forge-Token': forge.token };
    expect((await raw(forge, 'GET', '/api/tools', program)).status).toBe(200);
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
