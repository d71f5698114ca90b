import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { envKeyStore } from '../secrets/key-store-env.ts';
import { fileKeyStore } from '../secrets/key-store-file.ts';
import type { KeyStore } from '../secrets/key-store.ts';
import { openSecrets } from '../secrets/secrets.ts';
import { openDatabase } from '../store/database.ts';
import { CALL_LOG_VERSION, MIGRATIONS } from '../store/migrations.ts';
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

  it('S6 that is removed with every row, every record and the file of the newest row is missed', async () => {
    const { root, db, log } = await opened();
    log.record(entry(1));
    log.flush();
    db.exec(
      `DELETE FROM calls; DELETE FROM call_log_keys; DELETE FROM open_calls; DELETE FROM meta WHERE key LIKE 'calls%'`,
    );
    rmSync(path.join(root, 'call-log-head'));
    const again = await opened(root);
    expect(await again.log.verify()).toMatchObject({
      ok: false,
      firstBroken: { reason: expect.stringContaining('all rows were removed with it') },
    });
    again.log.record(entry(2));
    again.log.flush();
    expect(await (await opened(root)).log.verify()).toMatchObject({ ok: false });
  });

  it('S6 is not missed in a data dir from before there was one, or with a key of its own and nothing in it', async () => {
    const root = tempDir();
    const older = await openDatabase(path.join(root, 'forge.db'), {
      migrations: MIGRATIONS.slice(0, CALL_LOG_VERSION - 1),
    });
    older.exec(`INSERT INTO meta (key, value) VALUES ('key_id', '0123456789abcdef')`);
    older.close();
    expect(await (await opened(root)).log.verify()).toMatchObject({ ok: true });
    expect(await (await opened(tempDir(), envKeyStore('ab'.repeat(32)))).log.verify()).toMatchObject({ ok: true });
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
