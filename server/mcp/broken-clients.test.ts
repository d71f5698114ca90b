import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { install } from '../testing/demo-calls.ts';
import { testForge, type TestForge } from '../testing/forge.ts';
import { json, upstream } from '../testing/upstream.ts';
import { connectClient, textOf } from './testing/client.ts';

const message = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const initialize = (protocolVersion: unknown) =>
  message('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } });

const post = (forge: TestForge, body: unknown, headers: Record<string, string> = {}) =>
  forge.request('POST', '/mcp', body, headers);

async function openSession(forge: TestForge, version = '2025-11-25', headers: Record<string, string> = {}) {
  const { headers: answered } = await post(forge, initialize(version), headers);
  return { 'Mcp-Session-Id': answered.get('mcp-session-id') ?? '' };
}

describe('revisions of the protocol', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
    [7, '2025-11-25'],
  ])('a client that asks for %j gets %s', async (wanted, given) => {
    const forge = await testForge();
    const { status, body, headers } = await post(forge, initialize(wanted));
    expect([status, body.result.protocolVersion]).toEqual([200, given]);
    expect(headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('refuses a revision it does not know in a header', async () => {
    const forge = await testForge();
    const answer = await post(forge, message('ping'), { 'MCP-Protocol-Version': '2001-01-01' });
    expect([answer.status, answer.body.error.code]).toEqual([400, -32600]);
  });

  it('answers several messages at once only where the revision has them', async () => {
    const forge = await testForge();
    const batch = [message('ping', {}, 'a'), { jsonrpc: '2.0', method: 'notifications/initialized' }, 7];
    const old = await post(forge, batch, await openSession(forge, '2025-03-26'));
    expect(old.body).toMatchObject([
      { id: 'a', result: {} },
      { id: null, error: { code: -32600 } },
    ]);
    const recent = await post(forge, batch, await openSession(forge));
    expect([recent.status, recent.body.error.code]).toEqual([400, -32600]);
  });

  it('serves a client that never said hello, without what needs a session', async () => {
    const service = await upstream();
    const forge = await testForge({ FORGE_HOLD_SECONDS: '0' });
    await install(forge, service.url);
    const call = message('tools/call', { name: 'demo__get', arguments: { id: '7' } });
    expect((await post(forge, call)).body.result.content[0].text).toBe('{"ok":1}');
    const wipe = message('tools/call', { name: 'demo__wipe', arguments: { id: '7' } });
    const waits = await post(forge, wipe, { Accept: 'application/json, text/event-stream' });
    expect(waits.body.result).toMatchObject({ isError: true });
    expect((await forge.request('GET', '/api/calls')).body.calls[0]).toMatchObject({ caller: 'mcp' });
  });

  it('tells a client of a revision it does not have which ones there are', async () => {
    const forge = await testForge();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2031-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const answer = await post(forge, message('tools/list', { _meta: meta }), {
      'MCP-Protocol-Version': '2031-01-01',
      'Mcp-Method': 'tools/list',
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error.data.supported).toEqual(['2026-07-28']);
  });
});

describe('messages that make no sense', () => {
  it.each<[string, unknown, number, number]>([
    ['half a JSON text', '{"jsonrpc":"2.0","id":1,', 400, 0],
    ['not a message', { hello: 1 }, 400, -32600],
    ['a number', 7, 400, -32600],
    ['an empty batch', [], 400, -32600],
    ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    ['an id that is none', { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }, 400, -32600],
    ['parameters that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 400, -32600],
    ['a method that does not exist', message('tools/destroy'), 200, -32601],
    ['a method of every object', message('constructor'), 200, -32601],
    ['a call without a name', message('tools/call'), 200, -32602],
    ['a call of nothing', message('tools/call', { name: 'demo__x' }), 200, -32602],
    ['arguments that are a list', message('tools/call', { name: 'demo__get', arguments: [1] }), 200, -32602],
    ['a resource without an address', message('resources/read'), 200, -32602],
    ['a resource that is not there', message('resources/read', { uri: 'forge://files/../../token' }), 200, -32002],
    ['a prompt that is not there', message('prompts/get', { name: 'x' }), 200, -32602],
    ['a level that is none', message('logging/setLevel', { level: 'loud' }), 200, -32602],
    ['a completion of nothing', message('completion/complete'), 200, -32602],
  ])('%s', async (_title, body, status, code) => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const answer = await post(forge, body, { 'MCP-Protocol-Version': '2025-03-26' });
    expect(answer.status).toBe(status);
    expect(answer.body.error.code).toBe(code === 0 ? 'malformed_json' : code);
    expect(answer.body.error.message).toEqual(expect.any(String));
  });

  it('takes notifications and answers nobody asked for', async () => {
    const forge = await testForge();
    const session = await openSession(forge);
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'nobody' } },
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      { jsonrpc: '2.0', method: 'notifications/nonsense' },
      { jsonrpc: '2.0', id: 'forge-1', result: { action: 'accept', content: { approve: true } } },
      { jsonrpc: '2.0', id: 'forge-1', error: { code: 1, message: 'no' } },
    ]) {
      const { status, text } = await post(forge, body, session);
      expect([status, text]).toEqual([202, '']);
    }
  });

  it('refuses huge arguments, and a tool’s own limits say what is too much', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const call = (chars: number) =>
      post(forge, message('tools/call', { name: 'demo__echo', arguments: { text: 'x'.repeat(chars) } }));
    expect((await call(3_000_000)).status).toBe(413);
    const long = await call(1_000_000);
    expect(long.status).toBe(200);
    expect(long.body.result.isError).toBe(true);
  });
});

describe('sessions', () => {
  it('end when the client says so, and an unknown one has to begin again', async () => {
    const forge = await testForge();
    const session = await openSession(forge);
    expect((await post(forge, message('ping'), session)).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await forge.request('DELETE', '/mcp', undefined, session)).status).toBe(204);
    expect((await post(forge, message('ping'), session)).status).toBe(404);
    expect((await forge.request('DELETE', '/mcp', undefined, session)).status).toBe(404);
    expect((await post(forge, message('ping'), { 'Mcp-Session-Id': 'made-up' })).status).toBe(404);
    const get = (headers: Record<string, string>) => forge.request('GET', '/mcp', undefined, headers);
    expect((await get({ Accept: 'text/event-stream', ...session })).status).toBe(404);
    expect((await get({ Accept: 'text/event-stream' })).status).toBe(400);
    expect((await get(await openSession(forge))).status).toBe(400);
  });

  it('belong to the client that opened them', async () => {
    const forge = await testForge();
    const { token } = (await forge.request('POST', '/api/mcp/clients', { name: 'other' })).body;
    const session = await openSession(forge);
    expect((await post(forge, message('ping'), { ...session, 'X-Forge-Token': token })).status).toBe(404);
    const theirs = await openSession(forge, '2025-11-25', { 'X-Forge-Token': token });
    expect((await post(forge, message('ping'), theirs)).status).toBe(404);
  });

  it('refuse an id that is under way', async () => {
    const forge = await testForge();
    const service = await upstream(() => undefined);
    await install(forge, service.url);
    const session = await openSession(forge);
    const call = message('tools/call', { name: 'demo__get', arguments: { id: '7' } }, 'same');
    const first = post(forge, call, session);
    await expect.poll(() => service.seen.length).toBe(1);
    expect((await post(forge, call, session)).body.error.code).toBe(-32600);
    await post(forge, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } }, session);
    expect((await first).body.result.content[0].text).toMatch(/^cancelled: /);
  });
});

describe('who may talk', () => {
  it.each<[string, Record<string, string>, number]>([
    ['no token', { 'X-Forge-Token': '' }, 401],
    ['a wrong token', { 'X-Forge-Token': 'wrong' }, 401],
    ['a wrong bearer', { 'X-Forge-Token': '', Authorization: 'Bearer fmc_wrong' }, 401],
    ['a foreign origin', { Origin: 'https://evil.test' }, 403],
    ['another port', { Origin: 'http://127.0.0.1:1' }, 403],
    ['no origin, but from another site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a name that was rebound', { Host: 'evil.test' }, 403],
  ])('%s is refused before anything is read', async (_title, headers, status) => {
    const forge = await testForge();
    expect(await rawStatus(forge, headers)).toBe(status);
  });

  it('a client without a token is told to bring one, and of no place to get it from', async () => {
    const forge = await testForge();
    const refusal = (place: string) => forge.request('POST', place, initialize('2025-11-25'), { 'X-Forge-Token': '' });
    const [mcp, api] = [await refusal('/mcp'), await refusal('/api/tools')];
    expect([mcp, api].map(({ headers }) => headers.get('www-authenticate'))).toEqual(['Bearer', null]);
    expect(mcp.body.error.hint).toContain('forge mcp token --name');
    expect(api.body.error.hint).toContain('X-Forge-Token');
    expect((await forge.request('GET', '/.well-known/oauth-protected-resource')).status).toBe(404);
  });

  it('a client that speaks for a name which Forge does not know is told so', async () => {
    const forge = await testForge();
    const { status, body } = await post(forge, initialize('2025-11-25'), { 'X-Forge-Mcp-Client': 'nobody' });
    expect([status, body.error.message]).toEqual([403, 'Forge has no MCP client called "nobody"']);
  });

  it.each(['localhost', '127.0.0.1'])('its own name %s is fine', async (name) => {
    const forge = await testForge();
    expect(await rawStatus(forge, { Host: `${name}:${new URL(forge.url).port}` })).toBe(200);
  });

  // A document of http://localhost:<port> only confirms.
  it.each([
    ['127.0.0.1', 200],
    ['localhost', 403],
  ])('a page of %s is answered with %i', async (name, status) => {
    const forge = await testForge();
    const host = `${name}:${new URL(forge.url).port}`;
    expect(await rawStatus(forge, { Host: host, Origin: `http://${host}` })).toBe(status);
  });
});

describe('clients that go away', () => {
  it('half a request is dropped, and the next one is answered', async () => {
    const forge = await testForge();
    const { hostname, port, host } = new URL(forge.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const half = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nX-Forge-Token: ${forge.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`;
    await new Promise((resolve) => socket.write(half, resolve));
    socket.destroy();
    // It is counted once its connection is gone, as one that the client has given up.
    const counted = async () => /requests_total\{.*"\/mcp".*/.exec((await forge.request('GET', '/metrics')).text)?.[0];
    await expect.poll(counted).toBe('requests_total{method="POST",route="/mcp",status="499"} 1');
    expect((await post(forge, message('ping'))).status).toBe(200);
  });

  it('a client that leaves while a person is asked has approved nothing', async () => {
    const service = await upstream();
    const forge = await testForge();
    await install(forge, service.url);
    let asked: () => void = () => undefined;
    const question = new Promise<void>((resolve) => (asked = resolve));
    const client = await connectClient(forge, {
      answer: () => {
        asked();
        return new Promise(() => undefined);
      },
    });
    const call = client.callTool({ name: 'demo__wipe', arguments: { id: '7' } }).catch(() => 'gone');
    await question;
    await client.close();
    expect(await call).toBe('gone');
    const { approvals } = (await forge.request('GET', '/api/approvals')).body;
    expect(approvals).toMatchObject([{ status: 'pending' }]);
    expect(service.seen).toEqual([]);
  });

  it('100 calls at once, and a disconnect in the middle: what was under way stops, and Forge goes on', async () => {
    let gone = 0;
    let open = 0;
    const service = await upstream((_seen, response) => {
      open += 1;
      response.once('close', () => void (gone += 1));
    });
    const forge = await testForge();
    await install(forge, service.url);
    const client = await connectClient(forge);
    const calls = Array.from({ length: 100 }, (_, index) =>
      client.callTool({ name: 'demo__get', arguments: { id: String(index) } }).then(
        () => 'answered',
        () => 'failed',
      ),
    );
    await expect.poll(() => open).toBe(100);
    await client.close();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['failed']));
    await expect.poll(() => gone).toBe(100);
    const fine = await upstream(json({ fine: true }));
    await install(forge, fine.url);
    const other = await connectClient(forge);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        other.callTool({ name: 'demo__get', arguments: { id: String(index) } }),
      ),
    );
    expect(new Set(answers.map(textOf))).toEqual(new Set(['{"fine":true}']));
    await expect.poll(async () => (await forge.request('GET', '/api/calls?limit=1000')).body.calls.length).toBe(200);
  });
});

/** A request with exactly these headers, which fetch would not send. */
async function rawStatus(forge: TestForge, changed: Record<string, string>): Promise<number> {
  const { hostname, port, host } = new URL(forge.url);
  const body = JSON.stringify(initialize('2025-11-25'));
  const headers = {
    ...{ Host: host, 'X-Forge-Token': forge.token, 'Content-Type': 'application/json' },
    ...{ Accept: 'application/json, text/event-stream', 'Content-Length': String(body.length) },
    ...changed,
  };
  const request = httpRequest({ hostname, port, method: 'POST', path: '/mcp', headers, setHost: false, agent: false });
  request.end(body);
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode as number;
}
