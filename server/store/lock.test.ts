import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireLock } from './lock.ts';
import { tempDir } from './testing/temp-dir.ts';

/** Another process that takes the lock, or says with which code it could not, and then lives until it is killed. */
async function otherProcess(lockFile: string) {
  const script = `
    import { acquireLock } from ${JSON.stringify(path.join(import.meta.dirname, 'lock.ts'))};
    try { await acquireLock(${JSON.stringify(lockFile)}); console.log('locked'); } catch (error) { console.log(error.code); }
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]; // readline emits one string
  return { line, kill };
}

describe('acquireLock', () => {
  it('gives the lock to one owner at a time', async () => {
    const file = path.join(tempDir(), 'lock.db');
    const lock = await acquireLock(file);
    await expect(acquireLock(file)).rejects.toMatchObject({ code: 'data_dir_busy' });
    lock.release();
    lock.release();
    const again = await acquireLock(file);
    await expect(acquireLock(file)).rejects.toMatchObject({ code: 'data_dir_busy' });
    again.release();
  });

  it('is held against another process, also after a second attempt of its own', async () => {
    const file = path.join(tempDir(), 'lock.db');
    const lock = await acquireLock(file);
    onTestFinished(() => lock.release());
    await expect(acquireLock(file)).rejects.toMatchObject({ code: 'data_dir_busy' });
    expect((await otherProcess(file)).line).toBe('data_dir_busy');
  });

  it('is free as soon as its owner is killed', async () => {
    const file = path.join(tempDir(), 'lock.db');
    const other = await otherProcess(file);
    expect(other.line).toBe('locked');
    await expect(acquireLock(file)).rejects.toMatchObject({ code: 'data_dir_busy' });
    await other.kill();
    const lock = await acquireLock(file);
    lock.release();
    expect(statSync(file).size).toBe(0);
  });

  it('waits for an owner that is about to go', async () => {
    const file = path.join(tempDir(), 'lock.db');
    const first = await acquireLock(file);
    const waiting = acquireLock(file, { waitMs: 20_000 });
    first.release();
    const second = await waiting;
    await expect(acquireLock(file)).rejects.toMatchObject({ code: 'data_dir_busy' });
    second.release();
  });

  it('stops waiting when it is told to', async () => {
    const file = path.join(tempDir(), 'lock.db');
    const first = await acquireLock(file);
    onTestFinished(() => first.release());
    const stop = new AbortController();
    const waiting = acquireLock(file, { waitMs: 20_000, signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('makes a file that only its owner can read', async () => {
    const file = path.join(tempDir(), 'lock.db');
    const lock = await acquireLock(file);
    onTestFinished(() => lock.release());
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('explains a file that is no lock file', async () => {
    const file = path.join(tempDir(), 'lock.db');
    writeFileSync(file, 'something else entirely'.repeat(100));
    await expect(acquireLock(file)).rejects.toMatchObject({ code: 'data_dir_unusable' });
  });

  it('explains a folder that is not there', async () => {
    await expect(acquireLock(path.join(tempDir(), 'missing', 'lock.db'))).rejects.toMatchObject({
      code: 'disk_write_failed',
    });
  });
});
