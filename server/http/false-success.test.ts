import { describe, expect, it } from 'vitest';
import { call } from '../testing/demo-calls.ts';
import { testForge } from '../testing/forge.ts';
import { upstream } from '../testing/upstream.ts';

type Forge = Awaited<ReturnType<typeof testForge>>;

const HEAD = `id: demo
name: Demo
version: "1.0.0"
settings: { base_url: {}, token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
`;
const GET = "protocol: http, description: d, request: { url: '{base_url}/x' }";
const TOOLS = `tools:
  plain: { ${GET} }
  strict: { ${GET}, error_path: error, ok_match: { path: ok, equals: true } }
  some: { ${GET}, items_path: items, expect: { min_items: 1 } }
  away: { protocol: http, description: d, parameters: { host: { required: true } }, request: { url: 'http://{args.host}/x' } }
  bare: { protocol: http, description: d, auth: { type: none }, parameters: { host: { required: true } }, request: { method: POST, url: 'http://{args.host}/x' } }
  both: { protocol: shell, description: d, parameters: { to: { required: true } }, command: [echo, '{args.to}'], env: { T: '{settings.token}' } }
`;

async function install(forge: Forge, url: string, more = '', token: string | null = 'canary-token-1'): Promise<void> {
  const yaml = HEAD + more + TOOLS;
  expect((await forge.request('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
  await forge.request('PUT', '/api/connectors/demo/settings', { values: { base_url: url, token } });
}

async function answering(answer: string, isOpen = true) {
  return upstream((request, response) => {
    const isKnown = isOpen || request.headers.authorization !== undefined;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end(answer);
  });
}

describe('a call that looks like success', () => {
  it.each([
    ['{"ok":false,"error":"not_authed"}', /^HTTP 200 OK · GET .*: not_authed$/],
    ['{"ok":false}', /ok is not true/],
    ['{"ok":true,"error":{"message":"canary-token-1 is expired"}}', /: \[secret\] is expired$/],
  ])('fails where its manifest says how to tell: %s', async (answer, message) => {
    const forge = await testForge();
    const { url } = await answering(answer);
    await install(forge, url);
    expect((await call(forge, 'demo.plain')).body.ok).toBe(true);
    expect((await call(forge, 'demo.strict')).body).toMatchObject({
      ok: false,
      error: { code: 'upstream_error', message: expect.stringMatching(message) },
    });
  });

  it('succeeds where the answer is one', async () => {
    const forge = await testForge();
    const { url } = await answering('{"ok":true,"error":null}');
    await install(forge, url);
    expect((await call(forge, 'demo.strict')).body).toMatchObject({ ok: true, result: { ok: true } });
  });

  it('fails for a list that is never empty', async () => {
    const forge = await testForge();
    const { url } = await answering('{"items":[]}');
    await install(forge, url);
    expect((await call(forge, 'demo.some')).body).toMatchObject({
      ok: false,
      error: { code: 'unexpected_result', message: expect.stringContaining('has 0 items') },
    });
  });
});

describe('C-101 a test that looks like success', () => {
  const test = async (forge: Forge) => (await forge.request('POST', '/api/connectors/demo/test')).body;
  const ME = "request: { url: '{base_url}/me' }";

  it.each([
    [`test: { ${ME}, error_path: error }\n`, 'HTTP 200 OK, but not_authed'],
    [`test: { ${ME}, ok_match: { path: ok, equals: true } }\n`, 'HTTP 200 OK, but ok is not true: not_authed'],
  ])('fails: %s', async (block, message) => {
    const forge = await testForge();
    const { url } = await answering('{"ok":false,"error":"not_authed"}');
    await install(forge, url, block);
    expect(await test(forge)).toMatchObject({ ok: false, message, hint: expect.stringContaining('credentials') });
  });

  it('says so when the service answers the same to everybody', async () => {
    const forge = await testForge();
    const { url, seen } = await answering('{}');
    await install(forge, url, `test: { ${ME} }\n`);
    expect(await test(forge)).toMatchObject({ ok: true, hint: expect.stringContaining('without your credentials') });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer canary-token-1', undefined]);
  });

  it('says so when there are no credentials', async () => {
    const forge = await testForge();
    const { url, seen } = await answering('{}');
    await install(forge, url, `test: { ${ME} }\n`, null);
    expect(await test(forge)).toMatchObject({ ok: true, hint: expect.stringContaining('No credentials are saved') });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['the service knows who asks', `test: { ${ME} }\n`, false, 2],
    ['the test tells by the answer', `test: { ${ME}, error_path: error }\n`, true, 1],
    ['nobody logs in', `test: { ${ME}, auth: { type: none } }\n`, true, 1],
    ['it could change something', "test: { request: { method: POST, url: '{base_url}/me' } }\n", true, 1],
    [
      'the request has a secret of its own',
      "test: { request: { url: '{base_url}/me', headers: { X: '{settings.token}' } } }\n",
      true,
      1,
    ],
  ])('says nothing where %s', async (_title, block, isOpen, requests) => {
    const forge = await testForge();
    const { url, seen } = await answering('{}', isOpen);
    await install(forge, url, block);
    const body = await test(forge);
    expect([body.ok, body.hint]).toEqual([true, undefined]);
    expect(seen).toHaveLength(requests);
  });
});

describe('K-61 a host that an argument names', () => {
  it('is asked about with what is really sent', async () => {
    const forge = await testForge();
    await install(forge, 'http://127.0.0.1:1');
    const asked = async (tool: string) => (await call(forge, tool, { host: 'a.example' })).body.error.message;
    expect(await asked('demo.away')).toContain(
      'Demo would send a GET request to a.example, which an argument of the call names. It sends your saved token (header Authorization).',
    );
    expect(await asked('demo.bare')).toContain(
      'Demo would send a POST request to a.example, which an argument of the call names. No saved secret goes with it.',
    );
    await forge.request('PUT', '/api/connectors/demo/settings', { values: { token: null } });
    expect((await call(forge, 'demo.away', { host: 'b.example' })).body.error.message).toContain('No saved secret');
  });

  it.each(['169.254.169.254', '[fe80::1]', 'metadata.google.internal', '0.0.0.0', 'own', 'localhost'])(
    'is refused without asking: %s',
    async (name) => {
      const forge = await testForge();
      await install(forge, 'http://127.0.0.1:1');
      const own = new URL(forge.url).port;
      const host = name === 'own' ? `127.0.0.1:${own}` : name === 'localhost' ? `localhost:${own}` : name;
      expect((await call(forge, 'demo.away', { host })).body).toMatchObject({
        ok: false,
        error: { code: 'address_refused' },
      });
      expect((await forge.request('GET', '/api/approvals')).body.approvals).toEqual([]);
    },
  );
});

it('S4 a secret and an argument in one command are put to the person, and listed before the install', async () => {
  const forge = await testForge();
  await install(forge, 'http://127.0.0.1:1');
  const { status, body } = await call(forge, 'demo.both', { to: 'x' });
  expect([status, body.error.code]).toEqual([409, 'approval_required']);
  expect(body.error.message).toContain('The argument “to” and your saved “token” go into one command');
  const preview = await forge.request('POST', '/api/connectors/lint', { yaml: HEAD + TOOLS });
  expect(preview.text).toContain('an argument and the secret `token` go into one command');
});
