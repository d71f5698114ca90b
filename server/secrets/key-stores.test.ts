import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { failingFileOps } from '../store/testing/failing-file-ops.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { chooseKeyStore } from './choose-key-store.ts';
import { envKeyStore } from './key-store-env.ts';
import { fileKeyStore } from './key-store-file.ts';
import { keychainKeyStore } from './key-store-keychain.ts';
import { keyOf, keyringOf, newKey, serialiseKeyring } from './keyring.ts';
import { memoryKeychain, unreachableKeychain } from './testing/memory-keychain.ts';

describe('the key file', () => {
  it('K-38 keeps the keyring in a file that only its owner can read', async () => {
    const file = path.join(tempDir(), 'key');
    const store = fileKeyStore(file);
    expect(await store.read()).toBeNull();
    const keyring = keyringOf(newKey(), newKey());
    await store.write(keyring);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await fileKeyStore(file).read()).toEqual(keyring);
    expect(store.describe()).toBe(`the key file ${file}`);
  });

  it('K-38 refuses a file that others can read, with the command that closes it', async () => {
    const file = path.join(tempDir(), 'key');
    const store = fileKeyStore(file);
    await store.write(keyringOf(newKey()));
    chmodSync(file, 0o640);
    await expect(store.read()).rejects.toMatchObject({ code: 'data_dir_open', hint: `Run: chmod 600 '${file}'` });
  });

  it.each(['', '{}', 'x'])('refuses the content %j', async (content) => {
    const file = path.join(tempDir(), 'key');
    writeFileSync(file, content, { mode: 0o600 });
    await expect(fileKeyStore(file).read()).rejects.toMatchObject({ code: 'key_invalid' });
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it('keeps the old keyring or the new one when operation n of a write fails', async () => {
    for (let n = 1; ; n += 1) {
      const file = path.join(tempDir(), 'key');
      const [old, next] = [keyringOf(newKey()), keyringOf(newKey())];
      await fileKeyStore(file).write(old);
      const failing = failingFileOps(n, 'ENOSPC', 'onwards');
      const outcome = await fileKeyStore(file, failing.ops)
        .write(next)
        .then(() => 'written', String);
      if (failing.count() < n) break;
      const found = await fileKeyStore(file).read();
      expect([old, next]).toContainEqual(found);
      if (outcome === 'written') expect(found).toEqual(next);
      else expect(outcome).toContain('the disk is full');
    }
  });
});

describe('FORGE_ENCRYPTION_KEY', () => {
  const [one, two] = [newKey(), newKey()];

  it.each([
    ['base64', one.bytes.toString('base64')],
    ['base64 without padding', one.bytes.toString('base64').replace('=', '')],
    ['base64url', one.bytes.toString('base64url')],
    ['hex', one.bytes.toString('hex')],
    ['upper-case hex', one.bytes.toString('hex').toUpperCase()],
    ['spaces around', `  ${one.bytes.toString('hex')} `],
  ])('takes a key as %s', async (_, value) => {
    expect(await envKeyStore(value).read()).toEqual(keyringOf(one));
  });

  it('seals with the first key and opens with the others', async () => {
    const keyring = await envKeyStore(`${one.bytes.toString('hex')}, ${two.bytes.toString('base64')}`).read();
    expect(keyring).toEqual(keyringOf(one, two));
  });

  it('tells + and / from - and _', async () => {
    const bytes = Buffer.alloc(32, 0xfb);
    expect(bytes.toString('base64')).toContain('+');
    for (const encoding of ['base64', 'base64url'] as const) {
      expect(await envKeyStore(bytes.toString(encoding)).read()).toEqual(keyringOf(keyOf(bytes)));
    }
  });

  it.each([
    ['31 bytes', Buffer.alloc(31, 7).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 7).toString('hex')],
    ['words', 'correct horse battery staple, correct horse'],
    ['nothing behind the comma', `${one.bytes.toString('hex')},`],
    ['a mix of two alphabets', `+_${Buffer.alloc(32, 7).toString('base64').slice(2)}`],
    ['loose last bits', `${Buffer.alloc(32).toString('base64url').slice(0, -1)}B`],
  ])('refuses %s without showing it', async (_, value) => {
    const error: unknown = await envKeyStore(value)
      .read()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'key_invalid', hint: expect.stringContaining('openssl rand') as string });
    expect(inspect(error)).not.toContain(value.slice(0, 8));
  });

  it('cannot be written, and says how a person rotates it', async () => {
    await expect(envKeyStore(one.bytes.toString('hex')).write(keyringOf(two))).rejects.toMatchObject({
      code: 'key_invalid',
      hint: expect.stringContaining('FORGE_ENCRYPTION_KEY=<new>,<old>') as string,
    });
  });
});

describe('the keychain', () => {
  it('K-38 keeps one entry for each data dir', async () => {
    const keychain = memoryKeychain();
    const [here, there] = [keychainKeyStore(keychain, '/data/a'), keychainKeyStore(keychain, '/data/b')];
    const keyring = keyringOf(newKey());
    await here.write(keyring);
    expect(await here.read()).toEqual(keyring);
    expect(await there.read()).toBeNull();
    expect([...keychain.entries.keys()]).toEqual(['forge /data/a']);
  });

  it('refuses an entry that is no keyring', async () => {
    const keychain = memoryKeychain();
    await keychain.write('forge', '/data', 'hello');
    await expect(keychainKeyStore(keychain, '/data').read()).rejects.toMatchObject({ code: 'key_invalid' });
  });
});

describe('chooseKeyStore', () => {
  const env = newKey().bytes.toString('hex');
  const table: [
    string,
    { env?: string; recorded?: string; file?: boolean; reachable?: boolean; preference?: 'keychain' | 'file' },
    string,
  ][] = [
    ['the variable before everything', { env, recorded: 'file', file: true, reachable: true }, 'env'],
    ['an empty variable as none', { env: ' ' }, 'file'],
    [
      'the recorded file before a reachable keychain',
      { recorded: 'file', reachable: true, preference: 'keychain' },
      'file',
    ],
    [
      'the recorded keychain before a key file',
      { recorded: 'keychain', file: true, reachable: true, preference: 'file' },
      'keychain',
    ],
    ['the recorded keychain even when it is not reachable', { recorded: 'keychain', file: true }, 'keychain'],
    ['the recorded variable even when it is not set', { recorded: 'env', file: true, reachable: true }, 'env'],
    ['an existing key file before a reachable keychain', { file: true, reachable: true }, 'file'],
    ['a reachable keychain for a new data dir', { reachable: true }, 'keychain'],
    ['a file where the keychain is not reachable', {}, 'file'],
    ['a file where the person prefers it', { reachable: true, preference: 'file' }, 'file'],
    ['the keychain where the person asked for it, reachable or not', { preference: 'keychain' }, 'keychain'],
  ];

  it.each(table)('K-38 takes %s', async (_, given, kind) => {
    const root = tempDir();
    const key = path.join(root, 'key');
    if (given.file === true) writeFileSync(key, serialiseKeyring(keyringOf(newKey())), { mode: 0o600 });
    const store = await chooseKeyStore({
      encryptionKey: given.env,
      recorded: given.recorded ?? null,
      preference: given.preference ?? 'auto',
      dataDir: { root, key },
      keychain: given.reachable === true ? memoryKeychain() : unreachableKeychain(),
    });
    expect(store.kind).toBe(kind);
  });

  it('K-38 takes a keychain that holds a damaged keyring, so that it is told and not passed over', async () => {
    const root = tempDir();
    const keychain = memoryKeychain();
    await keychain.write('forge', root, 'damaged');
    const dataDir = { root, key: path.join(root, 'key') };
    const store = await chooseKeyStore({
      encryptionKey: undefined,
      recorded: null,
      preference: 'auto',
      dataDir,
      keychain,
    });
    expect(store.kind).toBe('keychain');
  });

  it.each(['env', 'keychain'])(
    'K-38 reads nothing elsewhere when the recorded %s is out of reach',
    async (recorded) => {
      const root = tempDir();
      mkdirSync(path.join(root, 'sub'));
      const key = path.join(root, 'key');
      writeFileSync(key, serialiseKeyring(keyringOf(newKey())), { mode: 0o600 });
      const keychain = unreachableKeychain();
      const choice = {
        encryptionKey: undefined,
        recorded,
        preference: 'auto',
        dataDir: { root, key },
        keychain,
      } as const;
      const store = await chooseKeyStore(choice);
      await expect(store.read()).rejects.toMatchObject({ code: 'secrets_unreadable' });
    },
  );

  it('does not guess about a kind it does not know', async () => {
    const root = tempDir();
    const choice = {
      encryptionKey: undefined,
      recorded: 'hsm',
      preference: 'auto',
      dataDir: { root, key: '' },
    } as const;
    await expect(chooseKeyStore({ ...choice, keychain: memoryKeychain() })).rejects.toThrow('"hsm"');
  });
});
