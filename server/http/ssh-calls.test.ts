import { describe, expect, it } from 'vitest';
import { appliance, type Terminal } from '../runners/ssh/testing/appliance.ts';
import { filesBelow, findCanaries } from '../testing/canaries.ts';
import { testForge, type TestForge } from '../testing/forge.ts';
import { callApproved } from '../tools/testing/call-approved.ts';

const PASSWORD = 'cnry-Pass wörd/9?';
const ENABLE = 'cnry-enable-$HOME-"x"';
const JUMP = 'cnry-jump-password-3';
const ARGUMENT = 'cnry-argument-password';

const MANIFEST = `id: box
name: Box
version: "1.0.0"
description: A box that is good for tests of terminals.
settings:
  default_host: {}
  username: { required: true }
  password: { type: secret }
  enable: { type: secret }
  port: { type: number, default: 22 }
  jump_host: {}
  jump_password: { type: secret }
tools:
  show:
    protocol: ssh
    description: Show something.
    parameters: { host: {}, what: {}, password: {} }
    ssh: { prompt_regex: '# $', commands: [enable, 'show {args.what}'], auto_answer: [{ match: 'password:', send: '{settings.enable}' }], capture: { said: 'said: (.*)' } }
  fail:
    protocol: ssh
    description: Fail with a secret.
    ssh: { prompt_regex: '# $', commands: [enable, 'fail {settings.enable}'], auto_answer: [{ match: 'password:', send: '{settings.enable}' }], fail_when: said }
  any:
    protocol: ssh
    description: Run any command.
    parameters: { line: { required: true } }
    ssh: { prompt_regex: '# $', commands: ['{args.line}'] }
`;

/** A box that repeats everything it is told, one secret in two halves. */
async function talkative(terminal: Terminal): Promise<void> {
  for (;;) {
    terminal.print('\r\nbox # ');
    const line = await terminal.readLine();
    if (line === 'enable') {
      terminal.print('Password: ');
      const given = await terminal.readLine();
      terminal.print(`${given.slice(0, 8)}\u001b[0m`);
      await new Promise((resolve) => setImmediate(resolve));
      terminal.print(`${given.slice(8)}\r\n`);
    } else terminal.print(`said: ${line} with ${PASSWORD} and ${ENABLE}, ${JUMP}\r\n`);
  }
}

async function world(password = PASSWORD) {
  const forge = await testForge({ FORGE_LOG: 'trace' });
  const device = await appliance({ password, shell: talkative });
  const heard: string[] = [];
  const say: TestForge['request'] = async (...request) => {
    const answer = await forge.request(...request);
    heard.push(answer.text);
    return answer;
  };
  const installed = await say('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  expect(installed.status, installed.text).toBe(201);
  const save = (values: object) => say('PUT', '/api/connectors/box/settings', { values });
  await save({
    default_host: '127.0.0.1',
    username: 'ana',
    password: PASSWORD,
    enable: ENABLE,
    port: device.port,
    jump_password: JUMP,
  });
  const call = (tool: string, args: object = {}, more: object = {}, headers = {}) =>
    say('POST', `/api/tools/box.${tool}/call`, { args, ...more }, headers);
  return { forge: { ...forge, request: say }, device, heard, say, save, call };
}

describe('K-17 W-11 ssh tools over the API', () => {
  it('answers with ok, output and captured, and streams what the terminal prints', async () => {
    const { call, forge, device } = await world();
    const { body } = await callApproved(forge, 'box.show', { what: 'version' });
    expect(body).toMatchObject({ ok: true, result: { ok: true, captured: { said: expect.stringMatching(/^show version with/) } } }); // prettier-ignore
    expect(device.typed).toEqual(['enable', ENABLE, 'show version']);
    const stream = await call('show', {}, {}, { Accept: 'text/event-stream' });
    expect(stream.text).toMatch(/^event: output\ndata: .*said: show/m);
  });

  it('a dry run shows what would be sent and to whom, with every credential masked, and connects to nobody', async () => {
    const { call, device } = await world();
    const { body } = await call('show', { what: 'version', password: ARGUMENT }, { dry_run: true });
    expect(body.dry_run).toMatchObject({
      protocol: 'ssh',
      target: { host: '127.0.0.1', port: device.port, username: 'ana', password: '[secret]' },
      jump: null,
      commands: ['enable', 'show version'],
      autoAnswer: [{ match: 'password:', send: '[secret]' }],
    });
    expect(device.connections()).toBe(0);
  });

  it('K-61 a host that an argument names is put to a person first, one that is saved is not', async () => {
    const { call, forge, device } = await world();
    expect((await call('show', { host: '127.0.0.1' })).body).toMatchObject({ ok: true });
    const asked = await call('show', { host: 'localhost' });
    expect(asked.body).toMatchObject({ error: { code: 'approval_required', message: expect.stringContaining(`localhost:${device.port}`) } }); // prettier-ignore
    expect((await callApproved(forge, 'box.show', { host: 'localhost' })).body).toMatchObject({ ok: true });
    expect((await call('show', { host: `127.0.0.1:${device.port}` })).status).toBe(409);
  });

  it('K-10 a person approves a command that is an argument as a whole', async () => {
    const { call, forge, device } = await world();
    expect((await call('any', { line: 'show tech | grep x' })).status).toBe(409);
    expect(device.connections()).toBe(0);
    expect((await callApproved(forge, 'box.any', { line: 'show tech | grep x' })).body).toMatchObject({ ok: true });
    expect(device.typed).toEqual(['show tech | grep x']);
    expect((await callApproved(forge, 'box.any', { line: 'a\nreboot' })).body.error.code).toBe('unsafe_value');
  });

  it('says which setting is missing', async () => {
    const { call, save } = await world();
    await save({ password: null });
    expect((await call('show')).body.error).toMatchObject({ code: 'setting_missing', hint: expect.stringContaining('password') }); // prettier-ignore
    await save({ password: PASSWORD, jump_host: 'jump.test', jump_password: null });
    expect((await call('show')).body.error).toMatchObject({ code: 'setting_missing', hint: expect.stringContaining('jump_password') }); // prettier-ignore
    await save({ jump_host: '', default_host: '' });
    expect((await call('show')).body.error).toMatchObject({ code: 'setting_missing', hint: expect.stringContaining('host') }); // prettier-ignore
    for (const host of ['a b', 'a/b', 'user@a', 'a:99999', '-oProxyCommand=x y'])
      expect((await call('show', { host })).body.error).toMatchObject({ code: 'unsafe_value' });
  });

  it('lists the keys of hosts, and forgets one so that a new one is taken', async () => {
    const { call, say, device } = await world();
    await call('show');
    const { body } = await say('GET', '/api/ssh/known-hosts');
    expect(body.hosts).toMatchObject([{ host: '127.0.0.1', port: device.port, via: '', key_type: 'ssh-ed25519' }]);
    await device.stop();
    await appliance({ password: PASSWORD, shell: talkative }, device.port);
    expect((await call('show')).body.error).toMatchObject({ code: 'ssh_host_key_changed' });
    const place = encodeURIComponent(`127.0.0.1:${device.port}`);
    expect((await say('DELETE', `/api/ssh/known-hosts/${place}`)).body).toEqual({ forgotten: 1 });
    expect((await say('DELETE', `/api/ssh/known-hosts/${place}`)).status).toBe(404);
    expect((await call('show')).body).toMatchObject({ ok: true });
  });
});

it('C-80 no byte of a secret comes out of a terminal: not in answers, logs, traces or the database', async () => {
  const { forge, call, say, save, heard, device } = await world();
  const outcomes: string[] = [];
  const note = ({ body }: { body: { ok?: boolean; error?: { code: string } } }) =>
    outcomes.push(body.ok === true ? 'ok' : (body.error?.code ?? 'none'));
  note(await callApproved(forge, 'box.show', { what: 'version' }));
  note(await call('fail'));
  const stream = await call('fail', {}, {}, { Accept: 'text/event-stream' });
  const parts = [...stream.text.matchAll(/^event: output\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  heard.push(parts.map(({ text }) => String(text)).join(''));
  note(await callApproved(forge, 'box.show', { password: ARGUMENT, what: 'x' }));
  note(await call('show', { password: ARGUMENT, what: 5 }));
  note(await call('show', { password: ARGUMENT, host: 'elsewhere.test' }));
  note(await call('show', { what: ENABLE }));
  await save({ jump_host: `127.0.0.1:${device.port}` });
  note(await call('show'));
  expect(outcomes).toEqual([
    ...['ok', 'ssh_fail_matched', 'ssh_auth_failed', 'invalid_argument', 'approval_required', 'unsafe_value'],
    'ssh_auth_failed',
  ]);
  await say('GET', '/api/approvals');
  const { body } = await say('GET', '/api/calls?limit=100');
  for (const { id } of body.calls) await say('GET', `/api/calls/${String(id)}`);
  expect(heard.join('\n')).toContain('[secret]');
  expect(heard.some((text) => text.includes('box # fail [secret]'))).toBe(true);
  await forge.close();
  const places = [
    ...filesBelow(forge.dataDir.root),
    { name: 'the log', bytes: Buffer.from(forge.logLines.join('')) },
    ...heard.map((text, index) => ({ name: `answer ${index}`, bytes: Buffer.from(text) })),
  ];
  expect(findCanaries(places, [PASSWORD, ENABLE, JUMP, ARGUMENT])).toEqual([]);
});
