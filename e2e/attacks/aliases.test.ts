import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startForgeProcess, tempFolder, type ForgeProcess } from '../testing/forge-process.ts';

const seen: { url: string; headers: Record<string, unknown> }[] = [];
const ends: (() => void)[] = [];
let forge: ForgeProcess;
let service: string;

beforeAll(async () => {
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ends.push(() => void server.close());
  forge = await startForgeProcess(
    tempFolder((end) => ends.push(end)),
    {},
    (end) => ends.push(end),
  );
});
afterAll(() => {
  for (const end of ends.reverse()) end();
});
beforeEach(() => void (seen.length = 0));

let count = 0;
async function install(tools: string, settings: Record<string, string> = {}): Promise<string> {
  const id = `shared${(count += 1)}`;
  const yaml = `id: ${id}
name: Shared
version: "1.0.0"
settings:
  base_url: { type: string }
  one: { type: secret }
  two: { type: secret }
${tools}`;
  const answer = await forge.call('POST', '/api/connectors/install-local', { yaml });
  expect([answer.status, await answer.clone().text()]).toEqual([201, expect.anything()]);
  const values = { base_url: service, one: 'first-secret-0001', two: 'second-secret-0002', ...settings };
  expect((await forge.call('PUT', `/api/connectors/${id}/settings`, { values })).status).toBe(200);
  return id;
}
const call = async (tool: string, args: unknown = {}): Promise<unknown> =>
  (await forge.call('POST', `/api/tools/${tool}/call`, { args })).json();

describe('S14 tools that share a node of YAML share nothing else', () => {
  it('a request with different auth: each tool sends its own secret, in any order', async () => {
    const id = await install(`tools:
  one: { protocol: http, auth: { type: bearer, token: '{settings.one}' }, request: &r { method: GET, url: '{base_url}/x' } }
  two: { protocol: http, auth: { type: bearer, token: '{settings.two}' }, request: *r }
  none: { protocol: http, auth: { type: none }, request: *r }
`);
    for (const name of ['one', 'two', 'none', 'two', 'one']) await call(`${id}.${name}`);
    expect(seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first-secret-0001',
      'Bearer second-secret-0002',
      undefined,
      'Bearer second-secret-0002',
      'Bearer first-secret-0001',
    ]);
  });

  it('a request that one tool lets an argument into', async () => {
    const id = await install(`tools:
  fixed: { protocol: http, auth: { type: none }, request: &r { method: GET, url: '{base_url}/x', headers: { X-A: b } } }
  open:
    protocol: http
    parameters: { t: {} }
    auth: { type: header, name: X-T, value: '{args.t}' }
    request: *r
`);
    for (const t of ['aa', 'bb']) {
      await call(`${id}.fixed`);
      await call(`${id}.open`, { t });
    }
    expect(seen.map(({ headers }) => headers['x-t'])).toEqual([undefined, 'aa', undefined, 'bb']);
  });

  it('headers, and a merge of them', async () => {
    const id = await install(`tools:
  one: { protocol: http, request: { method: GET, url: '{base_url}/1', headers: &h { X-Key: '{settings.one}' } } }
  two: { protocol: http, request: { method: GET, url: '{base_url}/2', headers: { <<: *h, X-Key: '{settings.two}' } } }
  three: { protocol: http, request: { method: GET, url: '{base_url}/3', headers: *h } }
`);
    for (const name of ['one', 'two', 'three', 'two']) await call(`${id}.${name}`);
    expect(seen.map(({ headers }) => headers['x-key'])).toEqual([
      'first-secret-0001',
      'second-secret-0002',
      'first-secret-0001',
      'second-secret-0002',
    ]);
  });

  it('parameters whose values may begin with a dash in one tool only', async () => {
    const id = await install(`tools:
  strict: { protocol: shell, parameters: { a: &p { type: string } }, command: [printf, '%s', '{args.a}'] }
  loose: { protocol: shell, parameters: { a: { <<: *p, allow_dash: true } }, command: [printf, '%s', '{args.a}'] }
`);
    expect(await call(`${id}.loose`, { a: '-n' })).toMatchObject({ ok: true });
    expect(await call(`${id}.strict`, { a: '-n' })).toMatchObject({ ok: false });
    expect(await call(`${id}.loose`, { a: '-n' })).toMatchObject({ ok: true });
  });

  it('an environment that is merged', async () => {
    const id = await install(`tools:
  one: { protocol: shell, command: [sh, -c, 'echo "$A $B"'], env: &e { A: '1', B: '1' } }
  two: { protocol: shell, command: [sh, -c, 'echo "$A $B"'], env: { <<: *e, B: '2' } }
`);
    expect(JSON.stringify(await call(`${id}.one`))).toContain('1 1');
    expect(JSON.stringify(await call(`${id}.two`))).toContain('1 2');
    expect(JSON.stringify(await call(`${id}.one`))).toContain('1 1');
  });

  it('a whole tool under two names', async () => {
    const id = await install(`tools:
  one: &t { protocol: http, parameters: { q: { type: string } }, request: { method: GET, url: '{base_url}/x', query: { q: '{args.q}' } } }
  two: *t
`);
    await call(`${id}.one`, { q: 'a' });
    await call(`${id}.two`, { q: 'b' });
    expect(seen.map(({ url }) => url)).toEqual(['/x?q=a', '/x?q=b']);
  });

  it('parts of a bundle that share a test and differ in auth', async () => {
    const id = await install(`connectors:
  - id: part-a
    name: A
    auth: { type: bearer, token: '{settings.one}' }
    test: &t { request: { method: GET, url: '{base_url}/me' } }
    tools: { get: { protocol: http, request: &r { method: GET, url: '{base_url}/a' } } }
  - id: part-b
    name: B
    auth: { type: bearer, token: '{settings.two}' }
    test: *t
    tools: { get: { protocol: http, request: *r } }
`);
    await forge.call('POST', `/api/connectors/${id}/test`);
    await call('part-b.get');
    await call('part-a.get');
    // A green test is made once more without credentials, to see whether they matter.
    const credentials = seen.map(({ headers }) => headers['authorization']).filter((one) => one !== undefined);
    expect(credentials).toEqual(['Bearer first-secret-0001', 'Bearer second-secret-0002', 'Bearer first-secret-0001']);
  });
});
