import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../../../store/testing/temp-dir.ts';
import { bundled } from '../../../testing/bundled.ts';
import { childrenOf, processesWith } from '../testing/processes.ts';
import { marker, nothingLeft, run as runCommand, sh } from '../testing/run-command.ts';
import { createSpawner } from './spawner.ts';

let script: URL;
beforeAll(async () => {
  script = await bundled('server/runners/shell/spawner/spawner-process.ts');
});
afterAll(() => rmSync(script, { force: true }));

type Command = Parameters<typeof runCommand>[0];

function spawner(given: { script?: URL; idleMs?: number } = {}) {
  const marks: (string | null)[] = [];
  const record = { write: (mark: string) => void marks.push(mark), clear: () => void marks.push(null) };
  const { run: start, close } = createSpawner({ script, record, ...given });
  onTestFinished(close);
  const run = (command: Command) => runCommand({ ...command, options: { ...command.options, start } });
  /** The process that starts programs now. */
  const starter = async (): Promise<number> => Number((await run({ argv: sh('echo $PPID') })).stdout);
  return { run, starter, close, marks };
}

/** The process that waits for the end of another. */
function guardianOf(helper: number): number {
  const found = childrenOf(helper).find(({ command }) => command.includes('end-programs'));
  if (found === undefined) throw new Error('nothing guards the programs');
  return found.pid;
}

describe('a process that starts programs', () => {
  it('C-99 S12 starts them from the first on, and tells of each how it ended', async () => {
    const { run, starter } = spawner();
    const helper = await starter();
    expect(helper).not.toBe(process.pid);
    const response = await run({
      argv: sh('echo "$WHO"; pwd; echo oops >&2; exit 3'),
      job: { env: { WHO: 'Ada' }, cwd: '/usr' },
    });
    expect(response).toMatchObject({ exitCode: 3, stdout: 'Ada\n/usr\n', stderr: 'oops\n', droppedBytes: 0 });
    expect(await starter()).toBe(helper);
  });

  it('S12 is one process, however many programs are first', async () => {
    const { starter } = spawner();
    const starters = await Promise.all(Array.from({ length: 8 }, starter));
    expect(new Set(starters).size).toBe(1);
  });

  it('S12 starts nothing for a caller who left while it was starting', async () => {
    const { run } = spawner();
    const file = path.join(tempDir(), 'started');
    const caller = new AbortController();
    const ended = run({ argv: ['touch', file], signal: caller.signal });
    caller.abort();
    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
    await run({ argv: ['true'] });
    expect(existsSync(file)).toBe(false);
  });

  it('C-99 has nothing of Forge’s own environment', async () => {
    const { run, starter } = spawner();
    const helper = await starter();
    const { stdout } = await run({ argv: ['cat', `/proc/${helper}/environ`] });
    expect(stdout.split('\0').map((line) => line.split('=')[0])).not.toContain('PATH');
    expect((await run({ argv: ['env'] })).stdout).not.toContain('NODE_CHANNEL');
  });

  it('keeps a hundred outputs apart', async () => {
    const { run } = spawner();
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    const all = await Promise.all(numbers.map((n) => run({ argv: sh(`echo ${n}; echo e${n} >&2`) })));
    expect(all.map(({ stdout, stderr }) => stdout + stderr)).toEqual(numbers.map((n) => `${n}\ne${n}\n`));
  });

  it('hands on output as it comes, and stops a program when its caller leaves', async () => {
    const { run } = spawner();
    const env = marker();
    const caller = new AbortController();
    const seen: string[] = [];
    const ended = run({
      argv: sh('echo ready; sleep 1000'),
      job: { env },
      signal: caller.signal,
      onOutput: (stream, text) => {
        seen.push(`${stream}: ${text}`);
        caller.abort();
      },
    });
    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen).toEqual(['stdout: ready\n']);
    await nothingLeft(env);
  });

  it('stops a program whose output nobody can take', async () => {
    const { run } = spawner();
    const env = marker();
    const refuse = () => {
      throw new Error('no');
    };
    const ended = run({ argv: sh('echo ready; sleep 1000'), job: { env }, onOutput: refuse });
    await expect(ended).rejects.toMatchObject({ code: 'command_failed', cause: { message: 'no' } });
    await nothingLeft(env);
  });

  it('C-100 keeps time and limits', async () => {
    const { run } = spawner();
    const late = run({ argv: sh('echo Waiting; exec sleep 1000'), job: { timeoutMs: 200 } });
    await expect(late).rejects.toMatchObject({ code: 'command_timeout', message: expect.stringContaining('Waiting') });
    const flood = run({ argv: ['yes'], options: { maxTotalBytes: 100_000 } });
    await expect(flood).rejects.toMatchObject({ message: expect.stringContaining('printed more than') });
    const { stdout, droppedBytes } = await run({ argv: sh('echo 123456789'), options: { maxStreamBytes: 4 } });
    expect({ stdout, droppedBytes }).toEqual({ stdout: '789\n', droppedBytes: 6 });
  });

  it('says why a program could not be started', async () => {
    const { run } = spawner();
    const file = path.join(tempDir(), 'tool');
    writeFileSync(file, '#!/no/such/program\n', { mode: 0o755 });
    await expect(run({ argv: [file] })).rejects.toMatchObject({ message: expect.stringContaining('(ENOENT)') });
  });

  it('S12 that is killed ends what it ran, says so, and is replaced', async () => {
    const { run, starter } = spawner();
    const helper = await starter();
    const env = marker();
    const lost = run({
      argv: sh('setsid sleep 1000 & echo ready; exec sleep 1000'),
      job: { env },
      onOutput: () => process.kill(helper, 'SIGKILL'),
    });
    await expect(lost).rejects.toMatchObject({ code: 'program_lost', hint: expect.stringContaining('Check') });
    await nothingLeft(env);
    expect(await starter()).not.toBe(helper);
  });

  it('S12 that is killed together with its guardian leaves the rest to Forge', async () => {
    const { run, starter } = spawner();
    const helper = await starter();
    const env = marker();
    const lost = run({
      argv: sh('setsid sleep 1000 & echo ready; exec sleep 1000'),
      job: { env },
      onOutput: () => {
        for (const pid of [guardianOf(helper), helper]) process.kill(pid, 'SIGKILL');
      },
    });
    await expect(lost).rejects.toMatchObject({ code: 'program_lost' });
    await nothingLeft(env);
  });

  it('S12 gets another guardian when that one is killed', async () => {
    const { starter } = spawner();
    const helper = await starter();
    const first = guardianOf(helper);
    process.kill(first, 'SIGKILL');
    const guardians = () => childrenOf(helper).filter(({ command }) => command.includes('end-programs'));
    await expect.poll(() => guardians().filter(({ pid }) => pid !== first)).toHaveLength(1);
  });

  it('S12 writes down what its programs carry, and no more once all is over', async () => {
    const { run, close, marks } = spawner();
    expect(marks).toEqual([]);
    const { stdout } = await run({ argv: ['env'] });
    const [mark] = marks;
    expect(stdout).toMatch(new RegExp(`^FORGE_RUN=${String(mark)}1\\.1\\.$`, 'm'));
    await close();
    expect(marks).toEqual([mark, null]);
  });

  it('S12 leaves no process behind when Forge closes', async () => {
    const { starter, close } = spawner();
    const helper = await starter();
    const guardian = guardianOf(helper);
    await close();
    expect([helper, guardian].filter(isRunning)).toEqual([]);
  });

  it('ends its programs when Forge is gone, and then itself', async () => {
    const env = marker();
    const helper = fork(script, [`${env.MARKER}.`], { env: {}, serialization: 'advanced' });
    const spec = { file: '/bin/sh', args: ['-c', 'trap "" TERM; sleep 1000'], argv0: 'sh', isVerbatim: false };
    const waits = { killGraceMs: 50, drainMs: 50, maxStreamBytes: 1000, maxTotalBytes: 1000 };
    const gone = once(helper, 'exit');
    helper.send({ kind: 'run', id: 1, spec: { ...spec, env, cwd: '/', timeoutMs: 60_000 }, waits, isFollowed: false });
    await expect.poll(() => processesWith(env.MARKER).length).toBeGreaterThan(0);
    helper.disconnect();
    await gone;
    await nothingLeft(env);
  });

  it('ends its programs when Forge was killed in the middle of what they print', async () => {
    const env = { ...marker(), PATH: '/usr/bin:/bin' };
    const waits = { killGraceMs: 50, drainMs: 50, maxStreamBytes: 1000, maxTotalBytes: 1e12 };
    const runOf = (id: number, line: string) => {
      const spec = { file: '/bin/sh', args: ['-c', line], argv0: 'sh', isVerbatim: false };
      return { kind: 'run', id, spec: { ...spec, env, cwd: '/', timeoutMs: 60_000 }, waits, isFollowed: true };
    };
    const runs = [runOf(1, 'sleep 1000'), ...[2, 3, 4].map((id) => runOf(id, 'while :; do echo more; done'))];
    const forge = path.join(tempDir(), 'forge.mjs');
    // The helper stands still while Forge dies, so that the first it does afterwards is to hand on what was printed.
    writeFileSync(
      forge,
      `import { fork } from 'node:child_process';
      const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
      const helper = fork(${JSON.stringify(fileURLToPath(script))}, ['${env.MARKER}.'], { env: {}, serialization: 'advanced', stdio });
      let printed = 0;
      helper.on('message', ({ kind }) => {
        if (kind === 'ready') for (const run of ${JSON.stringify(runs)}) helper.send(run);
        if (kind !== 'output' || ++printed !== 100) return;
        process.kill(helper.pid, 'SIGSTOP');
        process.stdout.write(String(helper.pid), () => process.kill(process.pid, 'SIGKILL'));
      });`,
    );
    const killed = spawn(process.execPath, [forge], { stdio: ['ignore', 'pipe', 'ignore'] });
    let helper = '';
    killed.stdout.on('data', (chunk: Buffer) => (helper += chunk.toString()));
    await once(killed, 'close');
    expect(processesWith(env.MARKER)).not.toEqual([]);
    process.kill(Number(helper), 'SIGCONT');
    await nothingLeft(env);
  });

  it('goes when there is nothing to do, and comes again', async () => {
    const { starter } = spawner({ idleMs: 500 });
    const first = await starter();
    await expect.poll(() => isRunning(first)).toBe(false);
    expect(await starter()).not.toBe(first);
  });

  it('S12 whose code is missing is an error, and Forge starts nothing itself', async () => {
    const { run } = spawner({ script: pathToFileURL('/nowhere/spawner.js') });
    const file = path.join(tempDir(), 'started');
    await expect(run({ argv: ['touch', file] })).rejects.toMatchObject({
      code: 'spawner_unavailable',
      message: expect.stringContaining('/nowhere/spawner.js is missing'),
    });
    expect(existsSync(file)).toBe(false);
  });

  it('S12 that cannot start is an error each time, and used once it can', async () => {
    const broken = path.join(tempDir(), 'broken.mjs');
    writeFileSync(broken, 'process.exit(1);');
    const { run } = spawner({ script: pathToFileURL(broken) });
    const file = path.join(tempDir(), 'started');
    for (let n = 0; n < 3; n += 1) {
      await expect(run({ argv: ['touch', file] })).rejects.toMatchObject({ code: 'spawner_unavailable' });
    }
    expect(existsSync(file)).toBe(false);
    writeFileSync(broken, `await import(${JSON.stringify(script.href)});`);
    expect(await run({ argv: ['touch', file] })).toMatchObject({ exitCode: 0 });
  });

  it('S12 starts nothing once Forge is closing', async () => {
    const { run, close } = spawner();
    await close();
    await expect(run({ argv: ['true'] })).rejects.toMatchObject({ code: 'shutting_down' });
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // Nobody is there.
    return false;
  }
}
