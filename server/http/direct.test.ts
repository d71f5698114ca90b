import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type } from '@sinclair/typebox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { testForge } from '../testing/forge.ts';
import { answerDirectly } from './direct.ts';
import { createMetrics } from './metrics.ts';
import { tellErrors } from './middleware/answer-errors.ts';
import { route } from './route.ts';
import type { Services } from './services.ts';

interface Sent {
  method?: string;
  path?: string;
  /** An empty one is left out. */
  headers?: Record<string, string>;
  body?: string;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A server that answers directly what it can, and `middleware` for everything else. */
async function directServer(changed: Partial<Services> = {}) {
  const forge = await testForge();
  const seen: unknown[] = [];
  const routes = [
    route({
      method: 'POST',
      path: '/api/things/:id/use',
      summary: '',
      access: 'token',
      direct: true,
      body: { json: Type.Object({ n: Type.Number() }), limit: 100 },
      answers: { status: 200 },
      handle: ({ params, body, header }) => {
        seen.push({ ...params, ...body });
        if (body.n < 0) throw new ForgeError('tool_not_found', 'below zero');
        return { json: JSON.stringify({ ok: `ü ${header('X-Who')}` }) };
      },
    }),
    route({
      method: 'POST',
      path: '/mcp',
      summary: '',
      access: 'client',
      direct: true,
      body: { json: Type.Unknown() },
      answers: { status: 200 },
      handle: ({ identity }) => ({ body: { ...identity } }),
    }),
    route({
      method: 'POST',
      path: '/api/other',
      summary: '',
      access: 'token',
      answers: { status: 204 },
      handle: () => ({}),
    }),
  ];
  let port = 0;
  let isStopping = false;
  const direct = answerDirectly({
    routes,
    services: { ...forge.services, ...changed, port: () => port },
    metrics: createMetrics('0', () => ({})),
    tellError: tellErrors(forge.log, (text) => text),
    underWay: new Set(),
    isStopping: () => isStopping,
  });
  const server = createServer((req, res) => {
    if (!direct(req, res)) res.end('middleware');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A TCP server that listens has an address of this kind.
  port = (server.address() as AddressInfo).port;
  const send = ({ method = 'POST', path = '/api/things/a.b-1/use', headers = {}, body = '{"n":1}' }: Sent = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const plain = { 'x-forge-token': forge.token, 'content-type': 'application/json', 'content-length': body.length };
      const given = Object.entries({ ...plain, ...headers }).filter(([, value]) => value !== '');
      const options = { port, method, path, headers: Object.fromEntries(given), agent: false };
      const request = httpRequest(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      request.once('error', reject).end(body);
    });
  return { send, seen, port, forge, stop: () => (isStopping = true) };
}

describe('the short way', () => {
  it('answers a plain call, with the headers that guard data', async () => {
    const { send, seen } = await directServer();
    const { status, headers, text } = await send({ headers: { 'x-who': 'me' } });
    expect([status, text, seen]).toEqual([200, '{"ok":"ü me"}', [{ id: 'a.b-1', n: 1 }]]);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '14',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  it('answers an MCP client that is spoken for with the owner’s token, with its own name and limits', async () => {
    const { send, forge } = await directServer();
    const { client } = forge.services.mcp.clients.add('cursor', { connectors: ['demo'], read_only: true });
    const { text } = await send({ path: '/mcp', headers: { 'x-forge-mcp-client': 'cursor' } });
    const limits = { connectors: ['demo'], readOnly: true };
    expect(JSON.parse(text)).toEqual({ clientId: client.id, name: 'cursor', limits });
    forge.services.mcp.revoke('cursor');
    expect((await send({ path: '/mcp', headers: { 'x-forge-mcp-client': 'cursor' } })).text).toBe('middleware');
  });

  it('lets nobody speak for a client without the owner’s token, nor anywhere else', async () => {
    const { send, forge } = await directServer();
    forge.services.mcp.clients.add('cursor', { connectors: null, read_only: false });
    const { token } = forge.services.mcp.clients.add('other', { connectors: [], read_only: true });
    const headers = { 'x-forge-token': token, 'x-forge-mcp-client': 'cursor' };
    expect(JSON.parse((await send({ path: '/mcp', headers })).text)).toMatchObject({ name: 'other' });
    expect((await send({ headers })).text).toBe('middleware');
  });

  it.each<[string, Sent, number, string]>([
    ['a body of another shape', { body: '{"n":"x"}' }, 400, 'invalid_request'],
    ['a body that is no JSON', { body: '{"n":' }, 400, 'malformed_json'],
    ['what the route throws', { body: '{"n":-1}' }, 404, 'tool_not_found'],
  ])('tells %s', async (_title, sent, status, code) => {
    const { send } = await directServer();
    const answer = await send(sent);
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([status, { error: { code } }]);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      // Leads to its line in the log.
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it.each<[string, Sent]>([
    ['without a token', { headers: { 'x-forge-token': '' } }],
    ['with a wrong token', { headers: { 'x-forge-token': 'x'.repeat(43) } }],
    ['for another host', { headers: { host: 'evil.test' } }],
    ['from a page', { headers: { origin: 'https://evil.test' } }],
    ['from a browser', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['with a cookie', { headers: { cookie: 'a=b' } }],
    ['on behalf of a client that there is not', { path: '/mcp', headers: { 'x-forge-mcp-client': 'somebody' } }],
    ['with a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['of an unknown length', { headers: { 'transfer-encoding': 'chunked', 'content-length': '' } }],
    ['that is too long', { body: JSON.stringify({ n: 1, text: 'x'.repeat(100) }) }],
    ['without a body', { body: '' }],
    ['with another method', { method: 'PUT' }],
    ['with a query', { path: '/api/things/a/use?x=1' }],
    ['with an encoded name', { path: '/api/things/a%2Fb/use' }],
    ['for another path', { path: '/api/things/a/use/more' }],
    ['for a route that takes the long way', { path: '/api/other' }],
  ])('leaves a request %s to the middleware', async (_title, sent) => {
    const { send, seen } = await directServer();
    const headers = Object.fromEntries(Object.entries(sent.headers ?? {}).filter(([, value]) => value !== ''));
    const dropped = Object.entries(sent.headers ?? {}).flatMap(([name, value]) => (value === '' ? [name] : []));
    const { text } = await send(
      dropped.length === 0 ? { ...sent, headers } : { ...sent, headers: { ...sent.headers } },
    );
    expect([text, seen]).toEqual(['middleware', []]);
  });

  it('leaves a request to the middleware when finding out who asks fails', async () => {
    const accepts = () => {
      throw new Error('the disk is full');
    };
    const forge = await testForge();
    const { send, seen } = await directServer({ access: { ...forge.services.access, accepts } });
    expect([(await send()).text, seen]).toEqual(['middleware', []]);
  });

  it('keeps no connection once Forge stops, and takes no more', async () => {
    const { send, stop } = await directServer();
    stop();
    expect((await send()).text).toBe('middleware');
  });
});
