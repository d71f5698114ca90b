import { describe, expect, it } from 'vitest';
import { call, install, MANIFEST } from '../testing/demo-calls.ts';
import { testForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';

describe('calling a tool', () => {
  it('C-03 C-54 D-07 sends the request and answers with JSON, the status line and captured headers', async () => {
    const forge = await testForge();
    const { url, seen } = await upstream((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'x-next': 'p2' }).end('{"id":"a b","n":1}'),
    );
    await install(forge, `${url}/`);
    const { status, body } = await call(forge, 'demo.get', { id: 'a b/c' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      result: { id: 'a b', n: 1 },
      response: { status: 200, statusText: 'OK', method: 'GET', headers: { 'x-next': 'p2' } },
    });
    expect(body.call_id).toMatch(/^call_[0-9a-f]{16}$/);
    expect(seen[0]).toMatchObject({ url: '/items/a%20b%2Fc', headers: { authorization: 'Bearer canary-token-1' } });
  });

  it('W-07 projects a list', async () => {
    const forge = await testForge();
    const { url } = await upstream((_request, response) =>
      response.end('{"items":[{"id":1,"x":2,"user":{"name":"n","mail":"m"}}]}'),
    );
    await install(forge, url);
    expect((await call(forge, 'demo.list')).body.result).toEqual([{ id: 1, user: { name: 'n' } }]);
  });

  it('C-04 C-99 runs a command', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    expect((await call(forge, 'demo.echo', { text: 'a; rm -rf $HOME' })).body).toMatchObject({
      ok: true,
      result: 'a; rm -rf $HOME',
    });
    expect((await call(forge, 'demo.fail')).body).toMatchObject({
      ok: false,
      error: { code: 'command_failed', message: expect.stringContaining('oops'), details: { exit_code: 3 } },
    });
  });

  it('a failure upstream is a result with a code, a message and a hint', async () => {
    const forge = await testForge();
    const { url } = await upstream((_request, response) =>
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"No such item"}'),
    );
    await install(forge, url);
    const { status, body } = await call(forge, 'demo.get', { id: '1' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: false,
      error: {
        code: 'upstream_error',
        message: expect.stringMatching(/HTTP 404 Not Found · GET .*No such item/),
        hint: expect.any(String),
      },
    });
  });

  it('tells a wrong argument, an unknown tool, missing settings and a missing extension apart', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
    expect((await call(forge, 'demo.get', {})).body.error.code).toBe('invalid_argument');
    expect((await call(forge, 'demo.get', { id: '1' })).body.error).toMatchObject({
      code: 'setting_missing',
      message: expect.stringContaining('base_url'),
    });
    const unknown = await call(forge, 'demo.gett');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'tool_not_found']);
    expect(unknown.body.error.message).toContain('demo.get');
    expect((await call(forge, 'demo.get.anything', { id: '1' })).status).toBe(404);
    const allowed = await forge.request('POST', '/api/approvals/standing', { tool_id: 'demo.wipe.x', max_uses: 1 });
    expect([allowed.status, allowed.body.error.code]).toEqual([404, 'tool_not_found']);
    expect((await call(forge, 'demo.page')).body.error.code).toBe('extension_missing');
    await forge.request('PATCH', '/api/connectors/demo', { enabled: false });
    expect((await call(forge, 'demo.echo', { text: 'x' })).body.error.code).toBe('connector_disabled');
  });

  it('a dry run shows the exact request with secrets masked, and sends nothing', async () => {
    const forge = await testForge();
    const { url, seen } = await upstream();
    await install(forge, url);
    const { body, text } = await call(forge, 'demo.get', { id: '7' }, { dry_run: true });
    expect(body.dry_run).toMatchObject({
      method: 'GET',
      url: `${url}/items/7`,
      headers: { authorization: 'Bearer [secret]' },
    });
    expect(text).not.toContain('canary');
    expect(seen).toEqual([]);
  });

  it('W-22 the compatible route answers with text', async () => {
    const forge = await testForge();
    const { url } = await upstream();
    await install(forge, url);
    const good = await forge.request('POST', '/api/connector-tool', {
      plugin_id: 'demo',
      tool: 'get',
      input: { id: '1' },
    });
    expect(good.body).toEqual({ content: `HTTP 200 OK · GET ${url}/items/1\n\n{\n  "ok": 1\n}`, is_error: false });
    const bad = await forge.request('POST', '/api/connector-tool', { plugin_id: 'demo', tool: 'get', input: {} });
    expect(bad.body).toMatchObject({ is_error: true, content: expect.stringContaining('invalid_argument') });
  });

  it('streams the output of a command', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const { text } = await forge.request(
      'POST',
      '/api/tools/demo.echo/call',
      { args: { text: 'hello' } },
      { Accept: 'text/event-stream' },
    );
    expect(text).toContain('event: output\ndata: {"stream":"stdout","text":"hello\\n"}');
    expect(text).toMatch(/event: answer\ndata: \{"ok":true,"result":"hello"/);
  });

  it('ends a stream with the error that kept it from an answer', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const { status, text } = await forge.request(
      'POST',
      '/api/tools/demo.canary-token-1/call',
      { args: {} },
      { Accept: 'text/event-stream' },
    );
    expect(status).toBe(200);
    const [, json = ''] = /^event: error\ndata: (.+)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(json)).toEqual({
      // What a caller asks for is its own: a mask would tell it that this is a secret.
      error: {
        code: 'tool_not_found',
        message: expect.stringContaining('demo.canary-token-1'),
        hint: expect.any(String),
      },
    });
  });

  it('K-50 a large result comes as a head, a shape and a handle that can be paged, projected and searched', async () => {
    const forge = await testForge();
    const items = Array.from({ length: 2000 }, (_, id) => ({ id, title: `Title ${id}` }));
    const { url } = await upstream((_request, response) => response.end(JSON.stringify({ items })));
    await install(forge, url);
    const { body } = await call(forge, 'demo.get', { id: '1' });
    expect(body.ok).toBe(true);
    expect(JSON.stringify(body.result).length).toBeLessThan(16_000);
    expect(body.handle).toMatch(/^res_[0-9a-f]{24}$/);
    const read = (query: string) => forge.request('GET', `/api/results/${String(body.handle)}?${query}`);
    expect(JSON.stringify((await read('path=items&offset=1999&limit=5')).body)).toContain('Title 1999');
    expect(JSON.stringify((await read('path=items&search=Title%20777')).body)).toContain('"id":777');
    expect((await forge.request('GET', '/api/results/res_000000000000000000000000')).status).toBe(404);
  });
});

it('W-15 a binary answer is saved as a file that can be downloaded, and never shown', async () => {
  const forge = await testForge();
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]);
  const { url } = await upstream((_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
  );
  await install(forge, url);
  const { body } = await call(forge, 'demo.get', { id: 'logo.png' });
  expect(body.result).toMatchObject({ filename: 'logo.png', size_bytes: 8, content_type: 'image/png' });
  const file = await fetch(forge.url + String(body.result.file_url), { headers: { 'X-Forge-Token': forge.token } });
  expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
  expect(file.headers.get('content-disposition')).toContain('attachment');
  expect((await forge.request('GET', '/api/files/../../token')).status).toBe(404);
});

describe('where a request may go', () => {
  it('a manifest cannot name this computer; a person’s setting can', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    expect((await call(forge, 'demo.fixed')).body.error.code).toBe('address_refused');
    expect((await call(forge, 'demo.get', { id: '1' })).body.error.code).toBe('upstream_unreachable');
  });

  it.each(['http://169.254.169.254', 'http://[fe80::1]', 'http://0.0.0.0', 'http://metadata.google.internal'])(
    'never goes to %s, whoever names it',
    async (address) => {
      const forge = await testForge();
      await install(forge, address);
      expect((await call(forge, 'demo.get', { id: '1' })).body.error.code).toBe('address_refused');
    },
  );

  it('never comes back to Forge itself', async () => {
    const forge = await testForge();
    await install(forge, forge.url);
    expect((await call(forge, 'demo.get', { id: '1' })).body.error.code).toBe('address_refused');
  });
});

describe('the call log', () => {
  it('keeps who asked, what was sent and what came back, without secrets, and notices tampering', async () => {
    const forge = await testForge();
    const { url } = await upstream((_request, response) => response.end('{"echo":"canary-token-1"}'));
    await install(forge, url);
    const good = await call(forge, 'demo.get', { id: '1' }, { caller: 'a test' });
    expect(good.body.result).toEqual({ echo: '[secret]' });
    await call(forge, 'demo.get', {});
    const { body, text } = await forge.request('GET', '/api/calls');
    expect(text).not.toContain('canary');
    expect(body.calls).toMatchObject([
      { tool_id: 'demo.get', outcome: 'error', code: 'invalid_argument' },
      { tool_id: 'demo.get', outcome: 'ok', caller: 'a test', args: { id: '1' } },
    ]);
    const detail = await forge.request('GET', `/api/calls/${String(good.body.call_id)}`);
    expect(detail.body.trace).toMatchObject({
      request: { method: 'GET', url: `${url}/items/1`, headers: { authorization: 'Bearer [secret]' } },
      response: { status: 200, head: '{"echo":"[secret]"}' },
    });
    expect(Object.keys(detail.body.stages)).toEqual([
      'resolve',
      'arguments',
      'policy',
      'governance',
      'expand',
      'approval',
      'run',
      'result',
    ]);
    expect((await forge.request('GET', '/api/calls/verify')).body).toMatchObject({ ok: true, checked: 2 });
    expect((await forge.request('GET', '/api/calls/export')).text.trim().split('\n')).toHaveLength(2);
  });

  it('keeps the beginning of an answer, and more of it for who tries a tool out, without secrets', async () => {
    const forge = await testForge();
    const answer = `${'a'.repeat(5000)} canary-token-1 ${'字'.repeat(30_000)}`;
    const { url } = await upstream((_request, response) => response.end(answer));
    await install(forge, url);
    const headFor = async (caller: string): Promise<string> => {
      const { body } = await call(forge, 'demo.get', { id: '1' }, { caller });
      return (await forge.request('GET', `/api/calls/${String(body.call_id)}`)).body.trace.response.head;
    };
    expect(await headFor('chat')).toBe('a'.repeat(200));
    expect(await headFor('settings')).toBe(answer.replace('canary-token-1', '[secret]').slice(0, 20_000));
  });
});

describe('C-101 C-102 C-104 the test block', () => {
  it('K-11 C-105 C-106 sends one request with the connector’s auth and fills the message', async () => {
    const forge = await testForge();
    const { url, seen } = await upstream((_request, response) => response.end('{"user":{"name":"Ada"}}'));
    await install(forge, url);
    const { body } = await forge.request('POST', '/api/connectors/demo/test');
    expect(body).toMatchObject({ ok: true, message: 'Hello Ada (?)', status: 200, url: `${url}/me` });
    expect(seen[0]?.headers.authorization).toBe('Bearer canary-token-1');
  });

  it('says what is wrong and what to do', async () => {
    const forge = await testForge();
    const { url } = await upstream((_request, response) => response.writeHead(401).end('canary-token-1 is wrong'));
    await install(forge, url);
    const { body, text } = await forge.request('POST', '/api/connectors/demo/test');
    expect(body).toMatchObject({ ok: false, status: 401, hint: expect.stringContaining('credentials') });
    expect(text).not.toContain('canary');
  });

  const EXPECTS = 'the service answered, but not with what the test expects';
  it.each([
    ['the text itself', 'a(b', 'an a(b c', true, 'HTTP 200 OK'],
    ['a regular expression', '^v[0-9]+$', 'v12', true, 'HTTP 200 OK'],
    ['another text', 'v[0-9]', 'login', false, EXPECTS],
    ['what is no regular expression', 'a(b', 'ab', false, EXPECTS],
    // What was stopped has found out neither yes nor no.
    ['one that never ends', '^(a+)+$', `${'a'.repeat(60)}!`, false, expect.stringContaining('takes too long')],
  ])('W-14 body_match: %s', async (_title, pattern, answer, ok, message) => {
    const forge = await testForge();
    const { url } = await upstream((_request, response) => response.end(answer));
    const block = `test: { request: { url: '{base_url}/me' }, body_match: '${pattern}' }`;
    const yaml = MANIFEST.replace(/^test: .*$/m, () => block);
    await forge.request('POST', '/api/connectors/install-local', { yaml });
    await forge.request('PUT', '/api/connectors/demo/settings', { values: { base_url: url, token: 't' } });
    expect((await forge.request('POST', '/api/connectors/demo/test')).body).toMatchObject({ ok, message });
  });

  it('C-101 tells each step as it ends, and names the one that failed', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const asked = { Accept: 'text/event-stream' };
    const { text, headers } = await forge.request('POST', '/api/connectors/demo/test', undefined, asked);
    expect(headers.get('content-type')).toContain('text/event-stream');
    const events = text
      .trim()
      .split('\n\n')
      .map((block) => {
        const [event = '', data = ''] = block.split('\n');
        return { event: event.slice(7), data: JSON.parse(data.slice(6)) };
      });
    const plan = ['settings', 'request', 'resolve', 'connect', 'answer', 'result'];
    expect(events[0]).toEqual({ event: 'plan', data: plan });
    expect(events.slice(1).map(({ event, data }) => [event, data.name ?? data.hint, data.ok])).toEqual([
      ['step', 'settings', true],
      ['step', 'request', true],
      ['step', 'resolve', true],
      ['step', 'connect', false],
      ['answer', expect.stringContaining('Check the address'), false],
    ]);
    expect(events.at(-1)?.data.plan).toEqual(plan);
  });

  it('C-101 a token that is exchanged is a step of its own, and a redirect is none', async () => {
    const forge = await testForge();
    let isTokenGiven = false;
    const { url } = await upstream((request, response) => {
      if (request.url === '/token') response.writeHead(isTokenGiven ? 200 : 500).end('{"token":"t1"}');
      else if (request.url === '/me') response.writeHead(302, { Location: '/you' }).end();
      else response.end('{}');
    });
    const auth =
      "auth: { type: bearer-token-exchange, exchange_url: '{base_url}/token', api_token: x, bearer_path: token }";
    const yaml = MANIFEST.replace(/^auth: .*$/m, () => auth);
    await forge.request('POST', '/api/connectors/install-local', { yaml });
    await forge.request('PUT', '/api/connectors/demo/settings', { values: { base_url: url } });
    const test = async () => {
      const { body } = await forge.request('POST', '/api/connectors/demo/test');
      return (body.steps as { name: string; ok: boolean }[]).map(({ name, ok }) => `${name} ${ok ? 'ok' : 'failed'}`);
    };
    expect(await test()).toEqual(['settings ok', 'request ok', 'auth failed']);
    isTokenGiven = true;
    expect(await test()).toEqual(
      ['settings', 'request', 'auth', 'resolve', 'connect', 'answer', 'result'].map((name) => `${name} ok`),
    );
  });

  it('C-112 C-103 a browser probe asks for the extension', async () => {
    const forge = await testForge();
    await forge.request('POST', '/api/connectors/install-local', {
      yaml: 'id: demo\nname: D\nversion: "1.0.0"\nhost_match: https://a.test/*\nlogin_redirect: /login\ntest: { probe: browser }\ntools: { t: { description: d, script: return 1 } }\n',
    });
    expect((await forge.request('POST', '/api/connectors/demo/test')).body).toMatchObject({
      ok: false,
      message: expect.stringContaining('install + sign in to the Forge extension'),
    });
  });
});
