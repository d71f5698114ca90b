import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, chownSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runForge, startForgeProcess, tempFolder } from '../testing/forge-process.ts';

const ends: (() => void)[] = [];
const isRoot = process.getuid?.() === 0;
const OTHER_USER = 65_534;
let whole: string;
let copies = 0;

const MANIFEST = `id: demo
name: Demo
version: "1.0.0"
description: Has a secret to keep.
settings: { token: { type: secret } }
tools: { t: { protocol: shell, description: Says hello., command: [echo, hello] } }
`;

/** A data dir that has been used, with every file that Forge keeps in one. */
beforeAll(async () => {
  whole = path.join(
    tempFolder((end) => ends.push(end)),
    'data',
  );
  const forge = await startForgeProcess(whole, {}, (end) => ends.push(end));
  await forge.call('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.call('PUT', '/api/connectors/demo/settings', { values: { token: 'a secret to keep' } });
  forge.child.kill('SIGTERM');
  await forge.exited;
  // Made when the first browser comes.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(path.join(whole, 'bridge-key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
});
afterAll(() => {
  for (const end of ends.toReversed()) end();
});

/** A copy of it, to be damaged. */
function copy(): string {
  copies += 1;
  const data = path.join(path.dirname(whole), `copy-${copies}`);
  cpSync(whole, data, { recursive: true });
  chmodSync(data, 0o700);
  return data;
}

/** The command that the error names, as a person would run it. */
const advised = (stderr: string): string => /Run: (.*)/.exec(stderr)?.[1] ?? 'false';

describe('a data dir that others can get at', () => {
  it('S15 a key file readable by others is refused, with the command that closes it', async () => {
    const data = copy();
    chmodSync(path.join(data, 'key'), 0o644);
    const refusal = await startForgeProcess(data).then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    expect(refusal).toContain(`${path.join(data, 'key')} is readable by others (mode 644)`);
    expect(refusal).toContain(`Run: chmod 600 '${path.join(data, 'key')}'`);
    execFileSync('sh', ['-c', advised(refusal)]);
    expect(await runForge(data, ['connector', 'list'])).toMatchObject({ code: 0 });
  });

  it.each([
    ['key', 0o640],
    ['key', 0o602],
    ['token', 0o604],
    ['token', 0o660],
    ['bridge-key', 0o644],
    ['bridge-key', 0o620],
    ['forge.db', 0o644],
    ['forge.db', 0o606],
  ])('S15 is refused: %s with mode %o', async (name, mode) => {
    const data = copy();
    chmodSync(path.join(data, name), mode);
    const { code, stderr } = await runForge(data, ['connector', 'list']);
    expect(code).toBe(1);
    expect(stderr).toContain(`Run: chmod 600 '${path.join(data, name)}'`);
    execFileSync('sh', ['-c', advised(stderr)]);
    expect(await runForge(data, ['connector', 'list'])).toMatchObject({ code: 0 });
  });

  it('S15 a key file that is not in use is refused as well', async () => {
    const data = copy();
    rmSync(path.join(data, 'forge.db'));
    chmodSync(path.join(data, 'key'), 0o644);
    const env = { FORGE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
    const { code, stderr } = await runForge(data, ['connector', 'list'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('is readable by others');
  });

  it.each(['key', 'token', 'bridge-key', 'forge.db'])(
    'S15 is refused: %s that is a link to somewhere else',
    async (name) => {
      const data = copy();
      const elsewhere = path.join(path.dirname(data), `elsewhere-${copies}`);
      renameSync(path.join(data, name), elsewhere);
      symlinkSync(elsewhere, path.join(data, name));
      const { code, stderr } = await runForge(data, ['connector', 'list']);
      expect(code).toBe(1);
      expect(stderr).toContain(`${path.join(data, name)} is a symbolic link`);
      execFileSync('sh', ['-c', advised(stderr)]);
      expect(await runForge(data, ['connector', 'list'])).toMatchObject({ code: 0 });
    },
  );

  it('S15 a link to nowhere is refused, and nothing is written where it leads', async () => {
    const data = copy();
    rmSync(path.join(data, 'token'));
    symlinkSync(path.join(path.dirname(data), 'not-there'), path.join(data, 'token'));
    const { code, stderr } = await runForge(data, ['connector', 'list']);
    expect(code).toBe(1);
    expect(stderr).toContain('is a symbolic link');
  });

  it.each([0o770, 0o707, 0o755, 0o722])('S15 is refused: a data dir with mode %o', async (mode) => {
    const data = copy();
    chmodSync(data, mode);
    const { code, stderr } = await runForge(data, ['connector', 'list']);
    expect(code).toBe(1);
    expect(stderr).toContain(`Run: chmod 700 '${data}'`);
  });

  it.each(['connectors', 'files'])('S15 is refused: %s that lies in a folder others can write to', async (name) => {
    const data = copy();
    const elsewhere = path.join(path.dirname(data), `open-${copies}`);
    mkdirSync(elsewhere);
    chmodSync(elsewhere, 0o777);
    rmSync(path.join(data, name), { recursive: true });
    symlinkSync(elsewhere, path.join(data, name));
    const { code, stderr } = await runForge(data, ['connector', 'list']);
    expect(code).toBe(1);
    expect(stderr).toContain(`Run: chmod 700 '${path.join(data, name)}'`);
  });

  it('S15 a folder in the place of the key is refused', async () => {
    const data = copy();
    rmSync(path.join(data, 'key'));
    mkdirSync(path.join(data, 'key'));
    expect(await runForge(data, ['connector', 'list'])).toMatchObject({ code: 1 });
  });

  it.skipIf(!isRoot).each(['.', 'key', 'token', 'bridge-key', 'connectors'])(
    'S15 is refused: %s of another user',
    async (name) => {
      const data = copy();
      chownSync(path.join(data, name), OTHER_USER, OTHER_USER);
      const { code, stderr } = await runForge(data, ['connector', 'list']);
      expect(code).toBe(1);
      expect(stderr).toContain('belongs to another user');
    },
  );

  it('S15 doctor says the same', async () => {
    const data = copy();
    chmodSync(path.join(data, 'key'), 0o644);
    const { stdout, stderr } = await runForge(data, ['doctor']);
    expect(stdout + stderr).toContain(`chmod 600 '${path.join(data, 'key')}'`);
  });

  it('S15 what is Forge’s own alone is not refused', async () => {
    const data = copy();
    writeFileSync(path.join(data, 'notes.txt'), 'mine', { mode: 0o644 });
    expect(await runForge(data, ['connector', 'list'])).toMatchObject({ code: 0 });
  });
});
