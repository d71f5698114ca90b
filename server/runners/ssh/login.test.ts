import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { readHostKey } from './host-key.ts';
import { appliance, newHostKey } from './testing/appliance.ts';
import { newKey } from './testing/new-key.ts';
import { jobFor, loginTo, PASSWORD, testSsh } from './testing/run-ssh.ts';

/** Runs nothing, so that only the login counts. */
const exec = (_command: string, terminal: { exit(code: number): void }) => terminal.exit(0);
const onlyLogin = { promptRegex: null, commands: [] };

/** The same key, asking for more work; the number stands behind the sixteen bytes of salt. */
function withRounds(key: string, rounds: number): string {
  const [begin = '', ...lines] = key.trim().split('\n');
  const bytes = Buffer.from(lines.slice(0, -1).join(''), 'base64');
  const at = bytes.indexOf('bcrypt') + 'bcrypt'.length + 4 + 4 + 16;
  bytes.writeUInt32BE(rounds, at);
  return [begin, bytes.toString('base64'), lines.at(-1)].join('\n');
}

describe('who the person is', () => {
  it('a wrong password is told as one, and without it', async () => {
    const { port, logins } = await appliance({ password: 'another', exec });
    const { fail } = await testSsh();
    const error = await fail(jobFor(port, onlyLogin));
    expect(error).toMatchObject({ code: 'ssh_auth_failed', hint: expect.stringContaining('settings') });
    expect(error.message).toBe(`127.0.0.1:${port} does not let admin in with the saved password`);
    expect(logins).toEqual(['password admin', 'keyboard-interactive admin']);
  });

  it('a host that asks for the password as PAM does gets it', async () => {
    const { port } = await appliance({ password: PASSWORD, keyboard: true, exec });
    const { run } = await testSsh();
    expect(await run(jobFor(port, onlyLogin))).toMatchObject({ failure: null });
  });

  it('a key with a passphrase, also when a form made one line of it', async () => {
    const key = newKey({ passphrase: 'open it', cipher: 'aes256-ctr', rounds: 2 });
    const { port } = await appliance({ publicKey: key.public, exec });
    const { run, fail } = await testSsh();
    const withKey = (privateKey: string, passphrase: string | null) =>
      jobFor(port, { ...onlyLogin, target: loginTo(port, { password: null, privateKey, passphrase }) });
    for (const spelling of [key.private, key.private.replaceAll('\n', ' '), key.private.replaceAll('\n', '\r\n')])
      expect(await run(withKey(spelling, 'open it'))).toMatchObject({ failure: null });
    const wrong = await fail(withKey(key.private, 'wrong'));
    expect(wrong).toMatchObject({ code: 'ssh_auth_failed', hint: expect.stringContaining('passphrase') });
    expect(wrong.message).toMatch(/^the saved private key cannot be used: /);
    expect(await fail(withKey(key.private, null))).toMatchObject({ code: 'ssh_auth_failed' });
    expect(await fail(withKey('not a key', null))).toMatchObject({ code: 'ssh_auth_failed' });
    expect(await fail(withKey(key.public, null))).toMatchObject({ code: 'ssh_auth_failed' });
    const slow = await fail(withKey(withRounds(key.private, 65), 'open it'));
    expect(slow).toMatchObject({ code: 'ssh_auth_failed', hint: expect.stringContaining('ssh-keygen -p -a 16') });
    const other = newKey().private;
    expect((await fail(withKey(other, null))).message).toContain('does not let admin in with the saved key');
  });
});

describe('who the host is', () => {
  it('remembers a key at first sight, refuses another one before anything is sent, and takes it once the old is forgotten', async () => {
    const first = await appliance({ password: PASSWORD, exec });
    const { run, fail, knownHosts } = await testSsh();
    await run(jobFor(first.port, onlyLogin));
    await run(jobFor(first.port, onlyLogin));
    const [known] = knownHosts.list();
    expect(knownHosts.list()).toHaveLength(1);
    expect(known).toMatchObject({ host: '127.0.0.1', port: first.port, via: '', key_type: 'ssh-ed25519' });
    await first.stop();
    const second = await appliance({ password: PASSWORD, exec }, first.port);
    const error = await fail(jobFor(first.port, onlyLogin));
    expect(error).toMatchObject({ code: 'ssh_host_key_changed' });
    expect(error.message).toContain(`it was ${known!.fingerprint} (ssh-ed25519) and is now SHA256:`);
    expect(error.hint).toContain(`forge ssh known-hosts forget 127.0.0.1:${first.port}`);
    expect(second.logins).toEqual([]);
    expect(knownHosts.forget(`127.0.0.1:${first.port}`)).toBe(1);
    expect(await run(jobFor(first.port, onlyLogin))).toMatchObject({ failure: null });
  });

  it('a key of another type does not pass for a new one', async () => {
    const first = await appliance({ password: PASSWORD, exec });
    const { run, fail } = await testSsh();
    await run(jobFor(first.port, onlyLogin));
    await first.stop();
    const second = await appliance({ password: PASSWORD, exec, hostKey: newHostKey('ecdsa') }, first.port);
    expect(await fail(jobFor(first.port, onlyLogin))).toMatchObject({ code: 'ssh_host_key_changed' });
    expect(second.logins).toEqual([]);
  });

  it('two first connections at once cannot both leave a key behind', async () => {
    const { port } = await appliance({ password: PASSWORD, exec });
    const { run, knownHosts } = await testSsh();
    await Promise.all([run(jobFor(port, onlyLogin)), run(jobFor(port, onlyLogin))]);
    expect(knownHosts.list()).toHaveLength(1);
  });

  it.each(['ed25519', 'ecdsa'] as const)(
    'of two first connections at once with different keys only one is believed: %s',
    async (type) => {
      const device = await appliance({ password: PASSWORD, exec });
      const { knownHosts } = await testSsh();
      const key = ssh2.utils.parseKey(newHostKey(type));
      const other = key instanceof Error ? null : readHostKey(key.getPublicSSH());
      // The other connection is through with its handshake right after this one has found that nothing is known.
      const check: typeof knownHosts.check = (place, seen) => {
        const found = knownHosts.check(place, seen);
        if (other !== null) knownHosts.remember(place, other);
        return found;
      };
      const { fail } = await testSsh({ knownHosts: { ...knownHosts, check } });
      const error = await fail(jobFor(device.port, onlyLogin));
      expect(error).toMatchObject({ code: 'ssh_host_key_changed' });
      expect(error.message).toContain(String(other?.fingerprint));
      expect(device.logins).toEqual([]);
      expect(knownHosts.list()).toMatchObject([{ fingerprint: other?.fingerprint }]);
    },
  );

  it('forgets a host with all its ports, in any spelling, and says when there is none', async () => {
    const { knownHosts } = await testSsh();
    const key = { type: 'ssh-ed25519', blob: 'AAAA', fingerprint: 'SHA256:x' };
    for (const [host, port] of [
      ['nas.test', 22],
      ['nas.test', 2222],
      ['fd00::1', 22],
    ] as const)
      // prettier-ignore
      knownHosts.remember({ host, port, via: '' }, key);
    expect(knownHosts.forget('NAS.test:2222')).toBe(1);
    expect(knownHosts.forget('nas.test')).toBe(1);
    expect(knownHosts.forget('[fd00::1]:22')).toBe(1);
    expect(() => knownHosts.forget('nas.test')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('a jump host', () => {
  it('is logged in to with a key or a password of its own, and both hosts are recognised', async () => {
    const target = await appliance({ password: PASSWORD, exec: (_command, terminal) => {
      terminal.print('inside\n');
      terminal.exit(0);
    } }); // prettier-ignore
    const jump = await appliance({ password: 'for the jump host', forwards: true });
    const { run, knownHosts } = await testSsh();
    const through = loginTo(jump.port, { username: 'hopper', password: 'for the jump host' });
    const response = await run(jobFor(target.port, { promptRegex: null, commands: ['hostname'], jump: through }));
    expect(response).toMatchObject({ failure: null, output: 'inside\n' });
    expect(jump.logins).toEqual(['password hopper']);
    expect(knownHosts.list().map(({ port, via }) => [port, via])).toEqual(
      expect.arrayContaining([
        [jump.port, ''],
        [target.port, `127.0.0.1:${jump.port}`],
      ]),
    );
  });

  it('one that lets nobody through, one that refuses the login, and a target that must not be reached', async () => {
    const target = await appliance({ password: PASSWORD, exec });
    const closed = await appliance({ password: PASSWORD });
    const { fail } = await testSsh();
    const jump = loginTo(closed.port);
    const error = await fail(jobFor(target.port, { ...onlyLogin, jump }));
    expect(error).toMatchObject({ code: 'upstream_unreachable', hint: expect.stringContaining('jump host') });
    expect(await fail(jobFor(target.port, { ...onlyLogin, jump: { ...jump, password: 'wrong' } }))).toMatchObject({
      code: 'ssh_auth_failed',
      message: expect.stringContaining(`:${closed.port}`),
    });
    const seen = closed.connections();
    const metadata = loginTo(80, { host: '169.254.169.254' });
    expect(await fail({ ...jobFor(80, { ...onlyLogin, jump }), target: metadata })).toMatchObject({
      code: 'address_refused',
    });
    expect(closed.connections()).toBe(seen);
    expect(target.connections()).toBe(0);
  });
});
