import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { kill } from './process-group.ts';
import { manualClock } from './testing/manual-clock.ts';
import { processesWith } from './testing/processes.ts';
import { marker, nothingLeft, run, sh, TIMEOUT_MS } from './testing/run-command.ts';

describe('ending a program', () => {
  it('C-100 ends it at its timeout, and says what it printed last', async () => {
    const clock = manualClock();
    const env = marker();
    const error = run({
      argv: sh('echo Waiting for the lock >&2; exec sleep 1000'),
      job: { env, timeoutMs: 5000 },
      options: { after: clock.after },
      onOutput: () => clock.fire(5000),
    });
    await expect(error).rejects.toMatchObject({
      code: 'command_timeout',
      message: 'sh did not end within 5 s. The last it printed: Waiting for the lock',
    });
    expect(clock.pending()).toBe(0);
    await nothingLeft(env);
  });

  it('C-100 asks politely first: a program may clean up', async () => {
    const clock = manualClock();
    const file = path.join(tempDir(), 'cleaned-up');
    const error = run({
      argv: sh(`trap 'touch ${file}; exit 0' TERM; echo ready; while :; do sleep 0.05; done`),
      options: { after: clock.after },
      onOutput: () => clock.fire(TIMEOUT_MS),
    });
    await expect(error).rejects.toMatchObject({ code: 'command_timeout' });
    expect(existsSync(file)).toBe(true);
  });

  it('C-100 kills a program and its grandchild that both ignore SIGTERM and hold the output', async () => {
    const clock = manualClock();
    const env = marker();
    let alive = 0;
    const error = run({
      argv: sh(`trap '' TERM; (trap '' TERM; sleep 1000) & echo ready; wait`),
      job: { env },
      options: { after: clock.after },
      onOutput: () => {
        clock.fire(TIMEOUT_MS);
        alive = processesWith(env.MARKER).length;
        clock.fire(2000);
      },
    });
    await expect(error).rejects.toMatchObject({ code: 'command_timeout' });
    expect(alive).toBeGreaterThanOrEqual(2);
    await nothingLeft(env);
  });

  it('C-100 real timers end it too, one after the other', async () => {
    const env = marker();
    const error = run({
      argv: sh(`trap '' TERM; (trap '' TERM; sleep 1000) & wait`),
      job: { env, timeoutMs: 100 },
      options: { killGraceMs: 20, drainMs: 20 },
    });
    await expect(error).rejects.toMatchObject({
      code: 'command_timeout',
      message: 'sh did not end within 100 ms and printed nothing',
    });
    await nothingLeft(env);
  });

  it('C-99 ends the call, and what was left behind, when a grandchild holds the output of a finished program', async () => {
    const env = marker();
    const response = await run({ argv: sh('sleep 1000 & echo done; exit 4'), job: { env }, options: { drainMs: 20 } });
    expect(response).toMatchObject({ exitCode: 4, stdout: 'done\n' });
    await nothingLeft(env);
  });

  it('C-99 leaves nothing behind of a program that starts another in the background', async () => {
    const env = marker();
    const response = await run({ argv: sh('sleep 1000 >/dev/null 2>&1 & echo started'), job: { env } });
    expect(response).toMatchObject({ exitCode: 0, stdout: 'started\n' });
    await nothingLeft(env);
  });

  it('C-99 S12 ends a daemon that left the group and holds the output, with the call', async () => {
    const env = marker();
    const file = path.join(tempDir(), 'has-left');
    const script = `setsid sh -c 'touch ${file}; exec sleep 1000' & while [ ! -e ${file} ]; do sleep 0.02; done; echo done`;
    const response = await run({ argv: sh(script), job: { env }, options: { drainMs: 20 } });
    expect(response).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    await nothingLeft(env);
  });

  it.each([
    ['forks twice', `(setsid sh -c 'sleep 1000 & sleep 1000 & : >"$LEFT"' >/dev/null 2>&1 &)`],
    [
      'ignores every signal it can',
      `trap '' TERM HUP INT; setsid nohup sh -c ': >"$LEFT"; exec sleep 1000' >/dev/null 2>&1 &`,
    ],
    ['closes its streams', `setsid sh -c ': >"$LEFT"; exec sleep 1000' 0<&- 1>&- 2>&- &`],
    ['changes its name', `setsid bash -c ': >"$LEFT"; exec -a kworker/0:1 sleep 1000' >/dev/null 2>&1 &`],
    [
      'keeps starting others',
      `setsid sh -c 'while :; do setsid sleep 1000 & : >"$LEFT"; done' >/dev/null 2>&1 & sleep 0.1`,
    ],
    [
      'has been there for more than a second',
      `setsid sh -c 'sleep 1.2; : >"$LEFT"; exec sleep 1000' >/dev/null 2>&1 &`,
    ],
    [
      'drops the variables it does not know',
      `setsid env -u HOME -u LANG sh -c ': >"$LEFT"; exec sleep 1000' >/dev/null 2>&1 &`,
    ],
  ])('S12 ends with the call what leaves the group and %s', async (_how, script) => {
    const env = { ...marker(), LEFT: path.join(tempDir(), 'has-left') };
    const waits = 'while [ ! -e "$LEFT" ]; do sleep 0.01; done';
    expect(await run({ argv: sh(`${script}\n${waits}`), job: { env } })).toMatchObject({ exitCode: 0 });
    await nothingLeft(env);
  });

  it('S12 ends with the call what leaves the group and does nothing but fork and exit', async () => {
    const left = path.join(tempDir(), 'has-left');
    // None of them lives long enough to be found by looking; the group has a number that stays.
    const script = `setsid perl -e 'open my $f, ">", "${left}.new"; print $f $$; close $f; rename "${left}.new", "${left}"; while (1) { exit if fork }' >/dev/null 2>&1 &`;
    await run({ argv: sh(`${script}\nwhile [ ! -e "${left}" ]; do sleep 0.01; done`) });
    const group = Number(readFileSync(left, 'utf8'));
    onTestFinished(() => void kill(-group, 'SIGKILL'));
    await expect.poll(() => kill(-group, 0)).toBe(false);
  });

  it('S12 a tool cannot choose its own mark', async () => {
    const env = { ...marker(), FORGE_RUN: 'mine' };
    const left = path.join(tempDir(), 'has-left');
    const script = `setsid sh -c ': >${left}; exec sleep 1000' >/dev/null 2>&1 & while [ ! -e ${left} ]; do sleep 0.01; done`;
    await run({ argv: sh(script), job: { env } });
    await nothingLeft(env);
  });

  it('S12 ends nothing of another call', async () => {
    const env = marker();
    const controller = new AbortController();
    const seen: boolean[] = [];
    const other = run({
      argv: sh('setsid sleep 1000 & echo ready; wait'),
      job: { env },
      signal: controller.signal,
      onOutput: () => {
        void run({ argv: sh('setsid sleep 1000 >/dev/null 2>&1 &') }).then(() => {
          seen.push(processesWith(env.MARKER).length >= 2);
          controller.abort();
        });
      },
    });
    await expect(other).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen).toEqual([true]);
    await nothingLeft(env);
  });

  it('C-99 ends the call when not even SIGKILL is answered in time', async () => {
    const clock = manualClock();
    const env = marker();
    const error = run({
      argv: sh(`trap '' TERM; echo ready; while :; do sleep 1; done`),
      job: { env },
      options: { after: clock.after },
      // All in one turn: the end of the program cannot have been noticed in between.
      onOutput: () => {
        clock.fire(TIMEOUT_MS);
        clock.fire(2000);
        clock.fire(250);
      },
    });
    await expect(error).rejects.toMatchObject({ code: 'command_timeout' });
    await nothingLeft(env);
  });
});

describe('cancelling a program', () => {
  it('C-99 ends it midway, with all it started', async () => {
    const controller = new AbortController();
    const env = marker();
    const error = run({
      argv: sh('sleep 1000 & echo ready; wait'),
      job: { env },
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    await expect(error).rejects.toMatchObject({ code: 'cancelled', message: 'sh was cancelled' });
    await nothingLeft(env);
  });

  it('C-99 starts nothing for a call that was cancelled before', async () => {
    const file = path.join(tempDir(), 'started');
    await expect(run({ argv: ['touch', file], signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(existsSync(file)).toBe(false);
  });

  it('C-100 tells a deadline of the caller from a cancel', async () => {
    const controller = new AbortController();
    const error = run({
      argv: sh('echo ready; exec sleep 1000'),
      signal: controller.signal,
      onOutput: () => controller.abort(new DOMException('too late', 'TimeoutError')),
    });
    await expect(error).rejects.toMatchObject({ code: 'command_timeout' });
  });
});

describe('leaks', () => {
  it('C-99 no file stays open after programs that ended in every way', async () => {
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const options = { drainMs: 5, killGraceMs: 5 };
    const endings = (): Promise<unknown>[] => [
      run({ argv: ['true'] }),
      run({ argv: ['no-such-program'] }),
      run({ argv: ['echo', 'x'.repeat(4_000_000)] }),
      run({ argv: ['sleep', '1000'], job: { timeoutMs: 5 }, options }),
      run({ argv: sh('sleep 1000 & exit 0'), options }),
    ];
    await Promise.allSettled(endings());
    const before = openFiles();
    for (let round = 0; round < 5; round += 1) await Promise.allSettled(endings());
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });
});
