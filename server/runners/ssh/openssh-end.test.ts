import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SshJob } from '../job.ts';
import { manualClock } from '../shell/testing/manual-clock.ts';
import { realAfter } from '../shell/run-process.ts';
import { processesWith } from '../shell/testing/processes.ts';
import { marker, nothingLeft, TIMEOUT_MS } from '../shell/testing/run-command.ts';
import { jobFor, loginTo, testSsh } from './testing/run-ssh.ts';
import { startSshd, type Sshd } from './testing/sshd.ts';

type Found = Awaited<ReturnType<typeof end>>;

/** Ways to end a call while its command runs. */
const ENDINGS = ['done_when', 'fail_when', 'timeout', 'cancel', 'flood'] as const;

/** Runs a command that prints `ready` and does not end, until the call ends in one of these ways. */
async function end(sshd: Sshd, how: (typeof ENDINGS)[number], script: string, parts: Partial<SshJob> = {}) {
  const env = marker();
  const clock = manualClock();
  const caller = new AbortController();
  // Only the time of the call is up when the test says so.
  const after: typeof realAfter = (ms, later) => (ms === TIMEOUT_MS ? clock.after : realAfter)(ms, later);
  const { run } = await testSsh({ after, endMs: 1000, ...(how === 'flood' ? { maxBytes: 100_000 } : {}) });
  let alive = 0;
  const onOutput = (_stream: string, text: string): void => {
    if (!text.includes('ready')) return;
    alive = processesWith(env.MARKER).length;
    if (how === 'timeout') clock.fire(TIMEOUT_MS);
    if (how === 'cancel') caller.abort();
  };
  const target = loginTo(sshd.port, { username: sshd.username, password: null, privateKey: sshd.privateKey });
  const job = jobFor(sshd.port, {
    ...{ target, promptRegex: null, timeoutMs: TIMEOUT_MS, commands: [`MARKER=${env.MARKER} exec sh -c '${script}'`] },
    ...(how === 'done_when' ? { doneWhen: '^ready' } : {}),
    ...(how === 'fail_when' ? { failWhen: '^ready' } : {}),
    ...parts,
  });
  const { failure, output } = await run(job, { signal: caller.signal, onOutput });
  return { env, alive, code: failure?.code ?? null, output };
}

async function ended({ env, alive }: Found): Promise<void> {
  expect(alive).toBeGreaterThan(0);
  await nothingLeft(env);
}

const CODES = {
  done_when: null,
  fail_when: 'ssh_fail_matched',
  timeout: 'ssh_timeout',
  cancel: 'cancelled',
  flood: 'ssh_output_flood',
};

const users: [string, boolean][] = [
  ['whoever runs the tests', false],
  ['a user who is not root', true],
];

describe.each(users)('a command of %s on a real OpenSSH server', (_who, isPlainUser) => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ isPlainUser });
  });
  afterAll(() => sshd.stop());

  it.each(ENDINGS)('S12 ends on the host at %s', async (how) => {
    const rest = how === 'flood' ? 'while :; do echo more and more and more; done' : 'sleep 1000';
    const found = await end(sshd, how, `sleep 1000 & echo ready; ${rest}`);
    expect(found.code).toBe(CODES[how]);
    await ended(found);
  });

  it.each([
    ['ignores HUP', `trap "" HUP; echo ready; sleep 1000`],
    ['reads nothing and writes nothing', 'echo ready; exec sleep 1000 </dev/null >/dev/null 2>&1'],
    ['ignores TERM', `trap "" TERM; echo ready; sleep 1000; sleep 1000`],
    ['cleans up for ever', `trap "sleep 1000" TERM HUP; echo ready; sleep 1000; sleep 1000`],
  ])('S12 ends on the host although it %s', async (_title, script) => {
    await ended(await end(sshd, 'timeout', script));
  });

  it.each(['timeout', 'cancel', 'done_when'] as const)(
    'S12 ends on the host at %s although it was typed at a prompt',
    async (how) => {
      const found = await end(sshd, how, `echo re"ad"y; sleep 1000`, {
        promptRegex: '[$#] ?$',
        ...(how === 'done_when' ? { doneWhen: '^ready' } : {}),
      });
      await ended(found);
    },
  );
});
