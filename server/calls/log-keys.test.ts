import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileKeyStore } from '../secrets/key-store-file.ts';
import type { KeyStore } from '../secrets/key-store.ts';
import { openSecrets } from '../secrets/secrets.ts';
import { openDatabase } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createCallLog } from './call-log.ts';
import { openLogKeys, resealLogKeys } from './log-keys.ts';
import { entry } from './testing/world.ts';

async function opened(root = tempDir(), keyStore: KeyStore = fileKeyStore(path.join(root, 'key'))) {
  const db = await openDatabase(path.join(root, 'forge.db'));
  onTestFinished(() => db.close());
  const secrets = await openSecrets({ db, keyStore });
  const keys = await openLogKeys({ db, secrets });
  const log = createCallLog({
    ...{ db, keys, headFile: path.join(root, 'call-log-head') },
    limits: { days: 30, rows: 1_000_000 },
  });
  return { root, db, secrets, keys, log };
}

const locked: KeyStore = {
  kind: 'file',
  isWritable: true,
  describe: () => 'a locked keychain',
  read: () => Promise.reject(new Error('it is locked')),
  write: () => Promise.reject(new Error('it is locked')),
};

describe('the key of the call log', () => {
  it('S6 is made once, sealed, and is the same at the next start', async () => {
    const first = await opened();
    first.log.record(entry(1));
    first.log.flush();
    expect(first.keys.isNew).toBe(true);
    const second = await opened(first.root);
    expect(second.keys.isNew).toBe(false);
    expect(second.keys.current).toEqual(first.keys.current);
    expect(await second.log.verify()).toMatchObject({ ok: true, checked: 1, keyless: 0, unkeyed: 0 });
    const sealed = String(second.db.prepare('SELECT sealed FROM call_log_keys').get()?.['sealed']);
    expect(sealed).toMatch(/^forge1\.[0-9a-f]{16}\./);
  });

  it('S6 outlives a rotation of the vault’s key: old rows stay verifiable', async () => {
    const { root, db, secrets, log } = await opened();
    log.record(entry(1));
    log.flush();
    await secrets.rotate((reseal) => resealLogKeys(db, reseal));
    expect(secrets.status().keys).toHaveLength(1);
    const after = await opened(root);
    after.log.record(entry(2));
    expect(await after.log.verify()).toMatchObject({ ok: true, checked: 2, unkeyed: 0 });
  });

  it('S6 that was forgotten at a rotation keeps the vault’s old key with it', async () => {
    const { root, log, secrets } = await opened();
    log.record(entry(1));
    log.flush();
    await secrets.rotate(() => undefined);
    expect(await (await opened(root)).log.verify()).toMatchObject({ ok: true, checked: 1 });
  });

  it('S6 that cannot be read: calls are recorded all the same, marked, and the check says so', async () => {
    const first = await opened();
    first.log.record(entry(1));
    first.log.flush();
    const shut = await opened(first.root, locked);
    expect(shut.keys.current).toBeNull();
    shut.log.record(entry(2));
    expect(await shut.log.verify()).toMatchObject({ ok: false, firstBroken: { reason: /key .* cannot be read/ } });
    const open = await opened(first.root);
    open.log.record(entry(3));
    expect(await open.log.verify()).toMatchObject({ ok: true, checked: 3, unkeyed: 1 });
  });

  it.each([
    ['spoiled', `UPDATE call_log_keys SET sealed = substr(sealed, 1, length(sealed) - 2) || 'AA'`],
    ['removed', 'DELETE FROM call_log_keys'],
    ['moved to another row of the log', 'UPDATE call_log_keys SET after_seq = 2'],
    ['given another number', 'UPDATE call_log_keys SET id = 9'],
  ])('S6 that was %s does not make the log look sound', async (_, sql) => {
    const first = await opened();
    for (const n of [1, 2]) first.log.record(entry(n));
    first.log.flush();
    first.db.exec(sql);
    first.db.exec(`UPDATE calls SET args = '{}' WHERE seq = 1`);
    const after = await opened(first.root);
    after.log.record(entry(3));
    expect((await after.log.verify()).ok).toBe(false);
  });

  it('S6 no key can be made where secrets cannot be kept, and a later start makes one', async () => {
    const { root, log } = await opened(tempDir(), locked);
    log.record(entry(1));
    expect(await log.verify()).toMatchObject({ ok: true, keyless: 1 });
    const after = await opened(root);
    after.log.record(entry(2));
    expect(await after.log.verify()).toMatchObject({ ok: true, checked: 2, keyless: 1 });
  });
});
