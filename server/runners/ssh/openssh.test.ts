import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SshJob } from '../job.ts';
import { manualClock } from '../shell/testing/manual-clock.ts';
import { jobFor, loginTo, testSsh } from './testing/run-ssh.ts';
import { startSshd, type Sshd } from './testing/sshd.ts';

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const login = (parts: Parameters<typeof loginTo>[1] = {}) =>
  loginTo(sshd.port, { username: sshd.username, password: null, privateKey: sshd.privateKey, ...parts });
const job = (parts: Partial<SshJob>): SshJob => jobFor(sshd.port, { target: login(), promptRegex: null, ...parts });

describe('W-11 a real OpenSSH server', () => {
  it('runs each command on its own, and its exit code counts', async () => {
    const { run, fail } = await testSsh();
    const response = await run(
      job({ commands: ['echo one; echo two >&2', 'printf "build %d\\n" 42'], capture: { build: 'build (\\d+)' } }),
    );
    expect(response).toMatchObject({ failure: null, captured: { build: '42' } });
    expect(response.output.split('\n').sort()).toEqual(['', 'build 42', 'one', 'two']);
    const error = await fail(job({ commands: ['echo no such thing >&2; exit 4', 'touch should-not-run'] }));
    expect(error).toMatchObject({ code: 'command_failed', details: { exit_code: 4 } });
    expect(error.message).toContain('exited with code 4. The last it printed: no such thing');
    expect(await fail(job({ commands: ['kill -9 $$'] }))).toMatchObject({ code: 'command_failed', details: { signal: 'SIGKILL' } }); // prettier-ignore
  });

  it('speaks at the prompt of a real shell, and answers a real program', async () => {
    const { run } = await testSsh();
    const response = await run(
      job({
        promptRegex: '^forge-test> $',
        autoAnswer: [
          { match: '[$#] $', send: "PS1='forge-test> '" },
          { match: 'really\\? \\(y/N\\)', send: 'yes' },
        ],
        commands: ['read -p "really? (y/N) " a; echo "said <$a>"', 'exit'],
        capture: { said: '^said <(.*)>$' },
      }),
    );
    expect(response).toMatchObject({ failure: null, captured: { said: 'y' } });
    expect(response.output).not.toContain('\u001b');
  });

  it('logs in with an encrypted key, and not with a wrong one', async () => {
    const { run, fail } = await testSsh();
    const locked = { privateKey: sshd.encryptedKey, passphrase: 'a passphrase' };
    expect(await run(job({ target: login(locked), commands: ['true'] }))).toMatchObject({ failure: null });
    expect(await fail(job({ target: login({ username: 'nobody-here' }) }))).toMatchObject({ code: 'ssh_auth_failed' });
  });

  it('does not let anybody in with a wrong password, and says so without it', async () => {
    const { fail } = await testSsh();
    const password = 'cnry-wrong-password-1';
    const error = await fail(job({ target: login({ privateKey: null, password }), commands: ['true'] }));
    expect(error).toMatchObject({ code: 'ssh_auth_failed' });
    expect(error.message).toContain(`does not let ${sshd.username} in with the saved password`);
    expect(error.message).not.toContain(password);
  });

  it('K-16 is not spoken to once it has another key, until the old one is forgotten', async () => {
    const { run, fail, knownHosts } = await testSsh();
    const marker = path.join(sshd.folder, 'was-here');
    await run(job({ commands: ['true'] }));
    await sshd.changeHostKeys();
    expect(await fail(job({ commands: [`touch ${marker}`] }))).toMatchObject({ code: 'ssh_host_key_changed' });
    expect(existsSync(marker)).toBe(false);
    knownHosts.forget(`127.0.0.1:${sshd.port}`);
    expect(await run(job({ commands: [`touch ${marker}`] }))).toMatchObject({ failure: null });
    expect(existsSync(marker)).toBe(true);
  });

  it.each([
    ['as a program prints it', []],
    ['as a terminal shows it', [{ match: 'never asked', send: '' }]],
  ])('binary noise hides nothing that follows, %s', async (_title, autoAnswer) => {
    const { run } = await testSsh();
    const commands = ['head -c 4096 /dev/urandom; printf "\\nbuild 42\\n"'];
    const response = await run(job({ commands, autoAnswer, capture: { build: '^build (\\d+)$' } }));
    expect(response).toMatchObject({ failure: null, captured: { build: '42' } });
    expect(response.output.length).toBeGreaterThan(1000);
    expect(response.output).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  it('goes through itself as a jump host', async () => {
    const { run } = await testSsh();
    expect(await run(job({ jump: login(), commands: ['echo through'] }))).toMatchObject({ output: 'through\n' });
  });

  it('stops at done_when, at a deadline and when the caller leaves', async () => {
    const clock = manualClock();
    const { run, fail } = await testSsh({ after: clock.after });
    const endless = ['echo ready; while :; do sleep 0.2; done'];
    expect(await run(job({ commands: endless, doneWhen: '^ready$' }))).toMatchObject({
      failure: null,
      output: 'ready\n',
    });
    const late = await fail(job({ commands: endless }), { onOutput: () => clock.fire(30_000) });
    expect(late).toMatchObject({ code: 'ssh_timeout' });
    const controller = new AbortController();
    const onOutput = () => controller.abort();
    expect(await fail(job({ commands: endless }), { signal: controller.signal, onOutput })).toMatchObject({
      code: 'cancelled',
    });
    expect(await fail(job({ commands: ['echo ready'], doneWhen: 'never' }))).toMatchObject({ code: 'command_failed' });
  });

  it('a flood is cut off', async () => {
    const { fail } = await testSsh({ maxBytes: 1_000_000 });
    expect(await fail(job({ commands: ['cat /dev/zero | tr "\\0" x'] }))).toMatchObject({ code: 'ssh_output_flood' });
  });
});
