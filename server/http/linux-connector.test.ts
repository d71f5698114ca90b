import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../config.ts';
import { readPackageFolder } from '../connectors/package-files.ts';
import { appliance, type Terminal } from '../runners/ssh/testing/appliance.ts';
import { newKey } from '../runners/ssh/testing/new-key.ts';
import { PASSWORD } from '../runners/ssh/testing/run-ssh.ts';
import { startSshd, type Sshd } from '../runners/ssh/testing/sshd.ts';
import { testForge, type TestForge } from '../testing/forge.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

async function withLinux(): Promise<TestForge> {
  const forge = await testForge();
  const folder = path.join(PROJECT_ROOT, 'connectors', 'linux');
  forge.services.installer.install(readPackageFolder(folder), { kind: 'folder', location: folder });
  return forge;
}

it('W-11 the bundled connector for Linux servers reads files of a real one, whatever they are called', async () => {
  const forge = await withLinux();
  const row = { name: 'here', host: `127.0.0.1:${sshd.port}`, username: sshd.username };
  const rows = [
    { ...row, private_key: sshd.encryptedKey, passphrase: 'a passphrase' },
    { ...row, name: 'through', private_key: sshd.privateKey, jump_host: `127.0.0.1:${sshd.port}` },
  ];
  await forge.request('PUT', '/api/connectors/linux/settings', { values: { instances: rows } });
  const call = async (tool: string, args: object) =>
    (await forge.request('POST', `/api/tools/linux.${tool}/call`, { args })).body;

  const home = path.join(sshd.folder, 'files');
  mkdirSync(home);
  const trace = `forge-was-here-${process.pid}`;
  const names = ['a b.txt', `it's; touch ${trace}`, `$(touch ${trace}) \`touch ${trace}\` && "x" * #é`];
  for (const name of names) writeFileSync(path.join(home, name), `this is ${name}\n`);
  for (const name of names) {
    const { result } = await call('read_file', { path: path.join(home, name) });
    expect(result).toMatchObject({ ok: true, output: `this is ${name}` });
  }
  expect(existsSync(path.join(homedir(), trace))).toBe(false);
  const listed = await call('list_files', { path: home, instance: 'through' });
  for (const name of names) expect(listed.result.output).toContain(name);
  expect(await call('read_file', { path: '/no/such/file' })).toMatchObject({
    ok: false,
    error: { code: 'command_failed', details: { exit_code: 1, output: expect.stringContaining('/no/such/file') } },
  });
  expect((await call('read_file', { path: 'a\nb' })).error.code).toBe('unsafe_value');
});

it('K-17 its test logs in to a real server, and says when that does not let it in', async () => {
  const forge = await withLinux();
  const row = { host: `127.0.0.1:${sshd.port}`, username: sshd.username };
  const instances = [
    { ...row, name: 'here', private_key: sshd.privateKey },
    { ...row, name: 'stranger', private_key: newKey().private },
  ];
  await forge.request('PUT', '/api/connectors/linux/settings', { values: { instances } });
  const test = async (instance: string) =>
    (await forge.request('POST', `/api/connectors/linux/test?instance=${instance}`)).body;
  const passed = { ok: true, ms: expect.any(Number) };
  expect(await test('here')).toMatchObject({
    ok: true,
    message: expect.stringMatching(/^\S+ is logged in to 127\.0\.0\.1: Linux \S+ \S+$/),
    steps: ['settings', 'request', 'answer', 'result'].map((name) => ({ name, ...passed })),
  });
  expect(await test('stranger')).toMatchObject({
    ok: false,
    message: `127.0.0.1:${sshd.port} does not let ${sshd.username} in with the saved key`,
    steps: [passed, passed, { name: 'answer', ok: false }],
  });
});

it('K-17 a test tells a wrong password, a failing command, another host, a changed key and silence', async () => {
  const forge = await testForge();
  const exec = (command: string, terminal: Terminal) => {
    terminal.print(`${command} is unknown\n`);
    terminal.exit(command === 'version' ? 0 : 1);
  };
  const box = await appliance({ password: PASSWORD, exec });
  const values = { host: `127.0.0.1:${box.port}`, username: 'admin', password: PASSWORD };
  const test = async (block: string, more: object = {}) => {
    const yaml = MANIFEST.replace('probe: ssh', `probe: ssh${block}`);
    expect((await forge.request('POST', '/api/connectors/install-local', { yaml })).status).toBe(201);
    await forge.request('PUT', '/api/connectors/box/settings', { values: { ...values, ...more } });
    const { text, body } = await forge.request('POST', '/api/connectors/box/test');
    expect(text).not.toContain(PASSWORD);
    return [body.ok, body.message];
  };
  const place = `127.0.0.1:${box.port}`;
  expect(await test('')).toEqual([true, `admin is logged in to ${place}`]);
  expect(await test('', { password: 'wrong' })).toEqual([
    false,
    `${place} does not let admin in with the saved password`,
  ]);
  expect(await test(', command: version, ok_template: "{{output}}"')).toEqual([true, 'version is unknown']);
  expect(await test(', command: nonsense')).toEqual([false, expect.stringContaining('exited with code 1')]);
  expect(await test(', command: version, body_match: Linux')).toEqual([
    false,
    'the host let Forge in, but did not print "Linux": version is unknown',
  ]);
  await box.stop();
  const other = await appliance({ password: PASSWORD }, box.port);
  expect(other.hostKey).not.toBe(box.hostKey);
  expect(await test('')).toEqual([false, expect.stringContaining(`the key of ${place} has changed`)]);
  await other.stop();
  expect(await test('')).toEqual([false, expect.stringContaining('refused')]);
});

const MANIFEST = `id: box
name: Box
version: "1.0.0"
description: A host that tests make up.
settings: { host: { required: true }, username: {}, password: { type: secret } }
test: { probe: ssh }
tools: { show: { protocol: ssh, description: Show., ssh: { commands: [show] } } }
`;
