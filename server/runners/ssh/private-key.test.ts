import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { readPrivateKey } from './private-key.ts';

/** Few rounds, so that nobody waits; the thread is the same. */
function lockedKey(type: string, bits: string, cipher: string): { text: string; publicKey: string } {
  const file = path.join(tempDir(), 'key');
  const options = ['-q', '-t', type, '-b', bits, '-a', '1', '-Z', cipher, '-N', 'open it', '-C', '', '-f', file];
  execFileSync('ssh-keygen', options);
  return { text: readFileSync(file, 'utf8'), publicKey: readFileSync(`${file}.pub`, 'utf8').split(' ')[1] ?? '' };
}

const read = (privateKey: string, passphrase: string | null) =>
  readPrivateKey({ privateKey, passphrase }, ssh2.utils.parseKey);

it.each([
  ['ed25519', '256', 'aes256-ctr'],
  ['ed25519', '256', 'aes256-gcm@openssh.com'],
  ['ecdsa', '256', 'aes256-ctr'],
  ['ecdsa', '521', 'aes128-cbc'],
  ['rsa', '2048', 'aes256-ctr'],
])('opens a %s key of %s bits, locked by %s, and signs with it', async (type, bits, cipher) => {
  const { text, publicKey } = lockedKey(type, bits, cipher);
  const key = await read(text, 'open it');
  expect(key?.getPublicSSH().toString('base64')).toBe(publicKey);
  const signature = key?.sign('something') ?? Buffer.alloc(0);
  const known = ssh2.utils.parseKey(`ssh-x ${publicKey}`.replace('ssh-x', key?.type ?? ''));
  expect(known instanceof Error ? known : known.verify('something', signature)).toBe(true);
});

it('goes on with other things meanwhile, and opens a key once for all who ask', async () => {
  const { text } = lockedKey('ed25519', '256', 'aes256-ctr');
  let turns = 0;
  let isOpen = false;
  const spin = (): void => {
    turns += 1;
    if (!isOpen) setImmediate(spin);
  };
  spin();
  const [first, second] = await Promise.all([read(text, 'open it'), read(text, 'open it')]);
  isOpen = true;
  expect(first).toBe(second);
  expect(await read(text, 'open it')).toBe(first);
  // One that is opened on the spot leaves a turn or two.
  expect(turns).toBeGreaterThan(20);
});

it('says that a passphrase is wrong or missing, each time', async () => {
  const { text } = lockedKey('ed25519', '256', 'aes256-ctr');
  for (const passphrase of ['wrong', 'wrong', null])
    await expect(read(text, passphrase)).rejects.toMatchObject({
      code: 'ssh_auth_failed',
      message: expect.stringContaining('the saved private key cannot be used'),
    });
});
