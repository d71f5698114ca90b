import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../shared/secret.ts';
import { openDatabase } from '../store/database.ts';
import { nodeFileOps, type FileOps } from '../store/file-ops.ts';
import { getMeta } from '../store/meta.ts';
import { failingFileOps } from '../store/testing/failing-file-ops.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { transaction } from '../store/transaction.ts';
import { envKeyStore } from './key-store-env.ts';
import { fileKeyStore } from './key-store-file.ts';
import { keychainKeyStore, type Keychain } from './key-store-keychain.ts';
import { keyringOf, newKey, serialiseKeyring } from './keyring.ts';
import { sealPlace } from './seal-place.ts';
import { openSecrets } from './secrets.ts';
import { memoryKeychain, unreachableKeychain } from './testing/memory-keychain.ts';

const place = sealPlace({ connectorId: 'jira', path: ['token'], rowIds: [] });

async function dataDir() {
  const root = tempDir();
  const db = await openDatabase(path.join(root, 'forge.db'));
  onTestFinished(() => db.close());
  const keyFile = path.join(root, 'key');
  return { root, db, keyFile, open: () => openSecrets({ db, keyStore: fileKeyStore(keyFile) }) };
}

/** A data dir in which something was sealed with the key file. */
async function sealedDataDir() {
  const dir = await dataDir();
  const secrets = await dir.open();
  await secrets.prepare();
  const sealed = secrets.seal('hunter2', place);
  dir.db.prepare("INSERT INTO settings VALUES ('kept', ?, 1, '')").run(JSON.stringify({ token: { $sealed: sealed } }));
  return { ...dir, sealed, keyId: secrets.status().keyId ?? '' };
}

describe('openSecrets', () => {
  it('C-22 makes no key before there is something to seal', async () => {
    const { open, keyFile } = await dataDir();
    const secrets = await open();
    expect(secrets.state).toBe('empty');
    expect(secrets.status()).toMatchObject({ store: 'file', state: 'empty', keys: [] });
    expect(existsSync(keyFile)).toBe(false);
    expect(() => secrets.seal('x', place)).toThrow('there is no key yet');
    expect(() => secrets.open('x', place)).toThrow('there is no key yet');
  });

  it('C-22 seals, and opens again after a restart, as a Secret that does not print', async () => {
    const { open, sealed } = await sealedDataDir();
    const secret = (await open()).open(sealed, place);
    expect(secret).toBeInstanceOf(Secret);
    expect(secret.reveal()).toBe('hunter2');
    expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
  });

  it('C-95 does not open a value for another place', async () => {
    const { open, sealed } = await sealedDataDir();
    const secrets = await open();
    const other = sealPlace({ connectorId: 'jira', path: ['instances', 'token'], rowIds: ['1'] });
    expect(() => secrets.open(sealed, other)).toThrow('secrets cannot be read: ');
  });

  it('has the key on the disk before anything is sealed with it', async () => {
    const { db, keyFile } = await dataDir();
    const secrets = await openSecrets({ db, keyStore: fileKeyStore(keyFile, failingFileOps(1, 'ENOSPC', 'once').ops) });
    await expect(secrets.prepare()).rejects.toMatchObject({ code: 'disk_write_failed' });
    expect(secrets.state).toBe('empty');
    expect(() => secrets.seal('x', place)).toThrow('there is no key yet');
    await secrets.prepare();
    expect(readFileSync(keyFile, 'utf8')).toContain(secrets.status().keyId);
  });

  it('takes the first key that got to the disk although its write was reported as failed', async () => {
    const { db, keyFile } = await dataDir();
    let renamed = false;
    const ops: FileOps = {
      ...nodeFileOps,
      renameSync: (from, to) => {
        nodeFileOps.renameSync(from, to);
        renamed = true;
      },
      fsyncSync: (fd) => {
        if (renamed) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        nodeFileOps.fsyncSync(fd);
      },
    };
    const secrets = await openSecrets({ db, keyStore: fileKeyStore(keyFile, ops) });
    await expect(secrets.prepare()).rejects.toMatchObject({ code: 'disk_write_failed' });
    const written = readFileSync(keyFile, 'utf8');
    await secrets.prepare();
    expect(readFileSync(keyFile, 'utf8')).toBe(written);
  });

  it('makes one key when two ask at the same time', async () => {
    const { db, keyFile } = await dataDir();
    let made = 0;
    const makeKey = () => ((made += 1), newKey());
    const secrets = await openSecrets({ db, keyStore: fileKeyStore(keyFile), makeKey });
    await Promise.all([secrets.prepare(), secrets.prepare(), secrets.prepare()]);
    expect(made).toBe(1);
  });

  it('records the key with the first sealed value, or not at all', async () => {
    const { db, open } = await dataDir();
    const secrets = await open();
    await secrets.prepare();
    const rolledBack = () =>
      transaction(db, () => {
        secrets.seal('x', place);
        throw new Error('stop');
      });
    expect(rolledBack).toThrow('stop');
    expect([getMeta(db, 'key_id'), getMeta(db, 'key_store')]).toEqual([null, null]);
    transaction(db, () => secrets.seal('x', place));
    expect([getMeta(db, 'key_id'), getMeta(db, 'key_store')]).toEqual([secrets.status().keyId, 'file']);
  });

  it('counts the stored values of each key', async () => {
    const { db, open, sealed, keyId } = await sealedDataDir();
    const document = JSON.stringify({ token: sealed, instances: [{ token: sealed }], note: 'forge1. is a prefix' });
    db.prepare("INSERT INTO settings VALUES ('jira', ?, 1, '2026-01-01')").run(document);
    const foreign = newKey().id;
    const lost = JSON.stringify({ token: sealed.replace(keyId, foreign) });
    db.prepare("INSERT INTO settings VALUES ('git', ?, 1, '2026-01-01')").run(lost);
    expect((await open()).status().keys).toEqual([
      { id: keyId, current: true, available: true, sealedCount: 3 },
      { id: foreign, current: false, available: false, sealedCount: 1 },
    ]);
  });
});

describe('a key that does not fit', () => {
  it('D-06 another key in the file makes secrets unreadable, and is not written over', async () => {
    const { open, keyFile, sealed, keyId } = await sealedDataDir();
    const other = newKey();
    writeFileSync(keyFile, serialiseKeyring(keyringOf(other)));
    const before = readFileSync(keyFile);
    const secrets = await open();
    const reason = `the key this data dir was sealed with (${keyId}) is not in the key file ${keyFile}; that holds ${other.id}`;
    expect(secrets.status()).toMatchObject({ state: 'unreadable', reason, keyId });
    for (const act of [() => secrets.open(sealed, place), () => secrets.seal('x', place)]) {
      expect(act).toThrow(`secrets cannot be read: ${reason}`);
    }
    await expect(secrets.prepare()).rejects.toMatchObject({ code: 'secrets_unreadable' });
    await expect(secrets.rotate(() => undefined)).rejects.toMatchObject({ code: 'secrets_unreadable' });
    expect(readFileSync(keyFile)).toEqual(before);
  });

  it('D-06 once a person has removed every secret that needed it, a lost key is of no more concern', async () => {
    const { db, open, keyFile } = await sealedDataDir();
    rmSync(keyFile);
    expect((await open()).state).toBe('unreadable');
    db.exec('DELETE FROM settings');
    const secrets = await open();
    expect(secrets.state).toBe('empty');
    await secrets.prepare();
    expect(secrets.open(secrets.seal('anew', place), place).reveal()).toBe('anew');
  });

  it('D-06 a missing key is not replaced by a new one', async () => {
    const { open, keyFile, sealed } = await sealedDataDir();
    rmSync(keyFile);
    const secrets = await open();
    expect(secrets.status()).toMatchObject({
      state: 'unreadable',
      reason: expect.stringContaining('no key') as string,
    });
    await expect(secrets.prepare()).rejects.toMatchObject({ code: 'secrets_unreadable' });
    expect(() => secrets.open(sealed, place)).toThrow('secrets cannot be read: ');
    expect(existsSync(keyFile)).toBe(false);
  });

  it.each(['', '{"v":1}', 'not json'])('D-06 a damaged key file (%j) is kept and explained', async (content) => {
    const { open, keyFile, sealed } = await sealedDataDir();
    writeFileSync(keyFile, content);
    const secrets = await open();
    expect(secrets.state).toBe('unreadable');
    expect(() => secrets.open(sealed, place)).toThrow(`the encryption key in the key file ${keyFile} cannot be used`);
    await expect(secrets.prepare()).rejects.toMatchObject({ code: 'secrets_unreadable' });
    expect(readFileSync(keyFile, 'utf8')).toBe(content);
  });

  it('reads again when the right key is back', async () => {
    const { open, keyFile, sealed } = await sealedDataDir();
    const right = readFileSync(keyFile);
    rmSync(keyFile);
    const secrets = await open();
    writeFileSync(keyFile, right, { mode: 0o600 });
    await secrets.prepare();
    expect(secrets.open(sealed, place).reveal()).toBe('hunter2');
  });

  it('K-38 an unreachable keychain is waited for, not replaced', async () => {
    const { db, root, keyFile } = await dataDir();
    const memory = memoryKeychain();
    let current: Keychain = memory;
    const keychain: Keychain = {
      read: (service, account) => current.read(service, account),
      write: (service, account, text) => current.write(service, account, text),
    };
    const first = await openSecrets({ db, keyStore: keychainKeyStore(keychain, root) });
    await first.prepare();
    const sealed = first.seal('hunter2', place);
    current = unreachableKeychain();
    const second = await openSecrets({ db, keyStore: keychainKeyStore(keychain, root) });
    expect(second.status()).toMatchObject({ store: 'keychain', state: 'unreadable' });
    await expect(second.prepare()).rejects.toThrow('the keychain is not available');
    expect(existsSync(keyFile)).toBe(false);
    current = memory;
    await second.prepare();
    expect(second.open(sealed, place).reveal()).toBe('hunter2');
  });

  it('the same key given by the variable opens what the file sealed', async () => {
    const { db, keyFile, sealed } = await sealedDataDir();
    const keyring = await fileKeyStore(keyFile).read();
    const value = keyring?.keys.get(keyring.current)?.toString('base64') ?? '';
    const secrets = await openSecrets({ db, keyStore: envKeyStore(value) });
    expect(secrets.open(sealed, place).reveal()).toBe('hunter2');
    secrets.seal('x', place);
    expect(getMeta(db, 'key_store')).toBe('env');
  });

  it('another key given by the variable does not', async () => {
    const { db, sealed } = await sealedDataDir();
    const secrets = await openSecrets({ db, keyStore: envKeyStore(newKey().bytes.toString('hex')) });
    expect(secrets.state).toBe('unreadable');
    expect(() => secrets.open(sealed, place)).toThrow('is not in FORGE_ENCRYPTION_KEY');
  });
});
