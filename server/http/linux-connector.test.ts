import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../config.ts';
import { readPackageFolder } from '../connectors/package-files.ts';
import { startSshd, type Sshd } from '../runners/ssh/testing/sshd.ts';
import { testForge } from '../testing/forge.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

it('W-11 the bundled connector for Linux servers reads files of a real one, whatever they are called', async () => {
  const forge = await testForge();
  const folder = path.join(PROJECT_ROOT, 'connectors', 'linux');
  forge.services.installer.install(readPackageFolder(folder), { kind: 'folder', location: folder });
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
