import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Stop } from '../../shared/stop-signal.ts';
import { createSideThread, ThreadTimeout } from './side-thread.ts';

/** A thread that answers with twice the number, fails, ends or never comes back, as it is told. */
const THREAD = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ kind, id, request }) => {
  if (kind !== 'request') return;
  if (request === 'fail') parentPort.postMessage({ id, error: { message: 'no', code: 'invalid_argument', hint: 'Try another.' } });
  else if (request === 'break') parentPort.postMessage({ id, error: { message: 'oops', code: null } });
  else if (request === 'end') process.exit(1);
  else if (request === 'spin') for (;;);
  else parentPort.postMessage({ id, result: request * 2 });
});
`;

function thread(options: { limitMs?: number; idleMs?: number } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-test-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'thread.mjs');
  writeFileSync(file, THREAD);
  const made = createSideThread<number | string>({ name: 'test', script: pathToFileURL(file), ...options });
  if (made === null) throw new Error('there is no thread');
  onTestFinished(() => made.close());
  return made;
}

describe('a side thread', () => {
  it('is none where its code is missing', () => {
    expect(createSideThread({ name: 'test', script: new URL('file:///nonexistent/thread.mjs') })).toBeNull();
  });

  it('answers each request with its own result', async () => {
    const { ask } = thread();
    expect(await Promise.all([1, 2, 3].map((n) => ask(n)))).toEqual([2, 4, 6]);
  });

  it('passes on errors with their code and hint', async () => {
    const { ask } = thread();
    await expect(ask('fail')).rejects.toMatchObject({ code: 'invalid_argument', message: 'no', hint: 'Try another.' });
    await expect(ask('break')).rejects.toThrow('oops');
    expect(await ask(4)).toBe(8);
  });

  it('that dies fails what it had, and another takes over', async () => {
    const { ask } = thread();
    await expect(ask('end')).rejects.toThrow('has ended');
    expect(await ask(4)).toBe(8);
  });

  it('S13 that never comes back is ended, and those behind it are answered', async () => {
    const { ask } = thread({ limitMs: 300 });
    const [stuck, next] = await Promise.allSettled([ask('spin'), ask(5)]);
    expect(stuck).toMatchObject({ status: 'rejected', reason: expect.any(ThreadTimeout) });
    expect(next).toEqual({ status: 'fulfilled', value: 10 });
    expect(await ask(6)).toBe(12);
  });

  it('answers nobody who has left', async () => {
    const { ask } = thread();
    const stop = new Stop();
    const asked = ask(1, stop);
    stop.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
  });

  it('starts again after it was closed', async () => {
    const made = thread();
    expect(await made.ask(1)).toBe(2);
    made.close();
    expect(await made.ask(2)).toBe(4);
  });
});
