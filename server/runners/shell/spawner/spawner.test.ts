import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../../../store/testing/temp-dir.ts';
import { bundled } from '../../../testing/bundled.ts';
import { processesWith } from '../testing/processes.ts';
import { marker, nothingLeft, run as runCommand, sh } from '../testing/run-command.ts';
import { createSpawner } from './spawner.ts';

let script: URL;
beforeAll(async () => {
  script = await bundled('server/runners/shell/spawner/spawner-process.ts');
});
afterAll(() => rmSync(script, { force: true }));

type Command = Parameters<typeof runCommand>[0];

function spawner(given: { script?: URL; idleMs?: number; platform?: NodeJS.Platform } = {}) {
  const { run: start, close } = createSpawner({ script, platform: 'linux', ...given });
  onTestFinished(close);
  const run = (command: Command) => runCommand({ ...command, options: { ...command.options, start } });
  /** The process that starts programs now. */
  const starter = async (): Promise<number> => Number((await run({ argv: sh('echo $PPID') })).stdout);
  const untilHelper = async (): Promise<number> => {
    for (;;) {
      const pid = await starter();
      if (pid !== process.pid) return pid;
    }
  };
  return { run, starter, untilHelper, close };
}

describe('a process that starts programs', () => {
  it('C-99 takes over from the second program on, and tells of each how it ended', async () => {
    const { run, starter, untilHelper } = spawner();
    expect(await starter()).toBe(process.pid);
    const helper = await untilHelper();
    const response = await run({
      argv: sh('echo "$WHO"; pwd; echo oops >&2; exit 3'),
      job: { env: { WHO: 'Ada' }, cwd: '/usr' },
    });
    expect(response).toMatchObject({ exitCode: 3, stdout: 'Ada\n/usr\n', stderr: 'oops\n', droppedBytes: 0 });
    expect(await starter()).toBe(helper);
  });

  it('C-99 has nothing of Forge’s own environment', async () => {
    const { run, untilHelper } = spawner();
    const helper = await untilHelper();
    const { stdout } = await run({ argv: ['cat', `/proc/${helper}/environ`] });
    expect(stdout.split('\0').map((line) => line.split('=')[0])).not.toContain('PATH');
    expect((await run({ argv: ['env'] })).stdout).not.toContain('NODE_CHANNEL');
  });

  it('keeps a hundred outputs apart', async () => {
    const { run, untilHelper } = spawner();
    await untilHelper();
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    const all = await Promise.all(numbers.map((n) => run({ argv: sh(`echo ${n}; echo e${n} >&2`) })));
    expect(all.map(({ stdout, stderr }) => stdout + stderr)).toEqual(numbers.map((n) => `${n}\ne${n}\n`));
  });

  it('hands on output as it comes, and stops a program when its caller leaves', async () => {
    const { run, untilHelper } = spawner();
    await untilHelper();
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
    const { run, untilHelper } = spawner();
    await untilHelper();
    const env = marker();
    const refuse = () => {
      throw new Error('no');
    };
    const ended = run({ argv: sh('echo ready; sleep 1000'), job: { env }, onOutput: refuse });
    await expect(ended).rejects.toMatchObject({ code: 'command_failed', cause: { message: 'no' } });
    await nothingLeft(env);
  });

  it('C-100 keeps time and limits', async () => {
    const { run, untilHelper } = spawner();
    await untilHelper();
    const late = run({ argv: sh('echo Waiting; exec sleep 1000'), job: { timeoutMs: 200 } });
    await expect(late).rejects.toMatchObject({ code: 'command_timeout', message: expect.stringContaining('Waiting') });
    const flood = run({ argv: ['yes'], options: { maxTotalBytes: 100_000 } });
    await expect(flood).rejects.toMatchObject({ message: expect.stringContaining('printed more than') });
    const { stdout, droppedBytes } = await run({ argv: sh('echo 123456789'), options: { maxStreamBytes: 4 } });
    expect({ stdout, droppedBytes }).toEqual({ stdout: '789\n', droppedBytes: 6 });
  });

  it('says why a program could not be started', async () => {
    const { run, untilHelper } = spawner();
    await untilHelper();
    const file = path.join(tempDir(), 'tool');
    writeFileSync(file, '#!/no/such/program\n', { mode: 0o755 });
    await expect(run({ argv: [file] })).rejects.toMatchObject({ message: expect.stringContaining('(ENOENT)') });
  });

  it('that is killed loses what it ran, says so, and is replaced', async () => {
    const { run, starter, untilHelper } = spawner();
    const helper = await untilHelper();
    const env = marker();
    const lost = run({
      argv: sh('echo ready; exec sleep 1000'),
      job: { env },
      onOutput: () => process.kill(helper, 'SIGKILL'),
    });
    await expect(lost).rejects.toMatchObject({
      message: expect.stringContaining('was lost'),
      hint: expect.stringContaining('check'),
    });
    for (const pid of processesWith(env.MARKER)) process.kill(pid, 'SIGKILL');
    expect(await starter()).toBe(process.pid);
    expect(await untilHelper()).not.toBe(helper);
  });

  it('ends its programs when Forge is gone, and then itself', async () => {
    const env = marker();
    const helper = fork(script, { env: {}, serialization: 'advanced' });
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
      const helper = fork(${JSON.stringify(fileURLToPath(script))}, { env: {}, serialization: 'advanced', stdio });
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
    const { untilHelper } = spawner({ idleMs: 500 });
    const first = await untilHelper();
    await expect.poll(() => isRunning(first)).toBe(false);
    expect(await untilHelper()).not.toBe(first);
  });

  it.each([
    ['its code is not bundled', { script: pathToFileURL('/nowhere/spawner.js') }],
    ['the system starts programs cheaply', { platform: 'darwin' as const }],
  ])('is not started where %s', async (_why, given) => {
    const { starter } = spawner(given);
    for (let n = 0; n < 5; n += 1) expect(await starter()).toBe(process.pid);
  });

  it('that cannot start is not tried again', async () => {
    const broken = path.join(tempDir(), 'broken.mjs');
    const tries = path.join(tempDir(), 'tries');
    writeFileSync(
      broken,
      `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(tries)}, 'x'); process.exit(1);`,
    );
    const { starter } = spawner({ script: pathToFileURL(broken) });
    while (!existsSync(tries)) expect(await starter()).toBe(process.pid);
    for (let n = 0; n < 20; n += 1) expect(await starter()).toBe(process.pid);
    expect(readFileSync(tries, 'utf8')).toBe('x');
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
