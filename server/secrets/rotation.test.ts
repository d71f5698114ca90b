import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { nodeFileOps, type FileOps } from '../store/file-ops.ts';
import { getMeta } from '../store/meta.ts';
import type { Database } from '../store/sqlite.ts';
import { failingDatabase } from '../store/testing/failing-database.ts';
import { failingFileOps } from '../store/testing/failing-file-ops.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { transaction } from '../store/transaction.ts';
import { envKeyStore } from './key-store-env.ts';
import { fileKeyStore } from './key-store-file.ts';
import { newKey } from './keyring.ts';
import type { ResealAll } from './rotation.ts';
import { sealPlace } from './seal-place.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { sealedKeyId } from './vault.ts';

const CONNECTORS = ['git', 'jira', 'mail'];

const placeOf = (connectorId: string) => sealPlace({ connectorId, path: ['token'], rowIds: [] });

function store(db: Database, secrets: Secrets, connectorId: string): void {
  transaction(db, () => {
    const token = secrets.seal(`the secret of ${connectorId}`, placeOf(connectorId));
    const document = JSON.stringify({ token });
    db.prepare("INSERT OR REPLACE INTO settings VALUES (?, ?, 1, '2026-01-01')").run(connectorId, document);
  });
}

function tokens(db: Database): Map<string, string> {
  const rows = db.prepare('SELECT connector_id, document FROM settings ORDER BY connector_id').all();
  return new Map(
    rows.map((row) => [String(row['connector_id']), (JSON.parse(String(row['document'])) as { token: string }).token]),
  );
}

/** What the settings do for a rotation. */
function resealAllIn(db: Database): ResealAll {
  return (reseal) => {
    for (const [id, token] of tokens(db)) {
      const document = JSON.stringify({ token: reseal(token, placeOf(id)) });
      db.prepare('UPDATE settings SET document = ? WHERE connector_id = ?').run(document, id);
    }
  };
}

function expectAllReadable(db: Database, secrets: Secrets, when: string): void {
  const read = [...tokens(db)].map(([id, token]) => secrets.open(token, placeOf(id)).reveal());
  expect(read, when).toEqual(CONNECTORS.map((id) => `the secret of ${id}`));
}

async function dataDir() {
  const root = tempDir();
  const keyFile = path.join(root, 'key');
  const db = await openDatabase(path.join(root, 'forge.db'));
  onTestFinished(() => db.close());
  const open = (ops: FileOps = nodeFileOps, through = db) =>
    openSecrets({ db: through, keyStore: fileKeyStore(keyFile, ops) });
  const secrets = await open();
  await secrets.prepare();
  for (const id of CONNECTORS) store(db, secrets, id);
  return { db, keyFile, open, secrets };
}

const keysIn = (keyFile: string) =>
  Object.keys((JSON.parse(readFileSync(keyFile, 'utf8')) as { keys: Record<string, string> }).keys);

/** A disk on which the new keyring gets through but the one without the old key does not. */
function failingSecondWrite(): FileOps {
  let writes = 0;
  return {
    ...nodeFileOps,
    renameSync: (from, to) => {
      writes += 1;
      if (writes === 2) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      nodeFileOps.renameSync(from, to);
    },
  };
}

describe('rotation', () => {
  it('C-22 seals everything with a new key and forgets the old one', async () => {
    const { db, keyFile, open, secrets } = await dataDir();
    const before = tokens(db);
    const from = secrets.status().keyId;
    const rotation = await secrets.rotate(resealAllIn(db));
    expect(rotation).toEqual({ from, to: secrets.status().keyId, count: 3, removable: [] });
    expect(rotation.to).not.toBe(from);
    expect(getMeta(db, 'key_id')).toBe(rotation.to);
    expect(keysIn(keyFile)).toEqual([rotation.to]);
    for (const [id, token] of tokens(db)) {
      expect(token).not.toBe(before.get(id));
      expect(sealedKeyId(token)).toBe(rotation.to);
    }
    expectAllReadable(db, secrets, 'at once');
    expectAllReadable(db, await open(), 'after a restart');
  });

  it('rotates again and again', async () => {
    const { db, keyFile, secrets } = await dataDir();
    const ids = new Set<string>();
    for (let round = 0; round < 3; round += 1) ids.add((await secrets.rotate(resealAllIn(db))).to);
    expect(ids.size).toBe(3);
    expect(keysIn(keyFile)).toHaveLength(1);
    expectAllReadable(db, secrets, 'after three rotations');
  });

  it('has nothing to rotate before the first key', async () => {
    const root = tempDir();
    const db = await openDatabase(path.join(root, 'forge.db'));
    onTestFinished(() => db.close());
    const secrets = await openSecrets({ db, keyStore: fileKeyStore(path.join(root, 'key')) });
    await expect(secrets.rotate(() => undefined)).rejects.toThrow('nothing to rotate');
  });

  it('keeps a key that a stored value still needs', async () => {
    const { db, keyFile, secrets, open } = await dataDir();
    const from = secrets.status().keyId ?? '';
    const rotation = await secrets.rotate((reseal) => {
      const [id, token] = [...tokens(db)][0]!;
      const document = JSON.stringify({ token: reseal(token, placeOf(id)) });
      db.prepare('UPDATE settings SET document = ? WHERE connector_id = ?').run(document, id);
    });
    expect(rotation.count).toBe(1);
    expect(keysIn(keyFile).sort()).toEqual([from, rotation.to].sort());
    expectAllReadable(db, await open(), 'after a restart');
  });

  it('changes nothing in the database when one value does not open', async () => {
    const { db, open, secrets } = await dataDir();
    const before = tokens(db);
    const failing: ResealAll = (reseal) => {
      resealAllIn(db)(reseal);
      reseal(before.get('jira')!, placeOf('git'));
    };
    await expect(secrets.rotate(failing)).rejects.toMatchObject({ code: 'secrets_unreadable' });
    expect(tokens(db)).toEqual(before);
    expectAllReadable(db, secrets, 'at once');
    expectAllReadable(db, await open(), 'after a restart');
  });

  it('uses the key of an interrupted rotation instead of making ever more', async () => {
    const { db, keyFile, secrets } = await dataDir();
    const stop = () => {
      throw new Error('stop');
    };
    await expect(secrets.rotate(stop)).rejects.toThrow('stop');
    await expect(secrets.rotate(stop)).rejects.toThrow('stop');
    expect(keysIn(keyFile)).toHaveLength(2);
    const { to } = await secrets.rotate(resealAllIn(db));
    expect(keysIn(keyFile)).toEqual([to]);
  });

  it('can seal between an interrupted rotation and the next one', async () => {
    const { db, open, secrets, keyFile } = await dataDir();
    const stop = () => {
      throw new Error('stop');
    };
    await expect(secrets.rotate(stop)).rejects.toThrow('stop');
    store(db, secrets, 'jira');
    const restarted = await open();
    expectAllReadable(db, restarted, 'with two keys in use');
    await restarted.rotate(resealAllIn(db));
    expect(keysIn(keyFile)).toHaveLength(1);
    expectAllReadable(db, await open(), 'after the next rotation');
  });
});

describe('a rotation that fails on the way', () => {
  it.each(['once', 'onwards'] as const)(
    'is readable whichever operation on the key file fails %s',
    async (duration) => {
      let failures = 0;
      for (let n = 1; ; n += 1) {
        const { db, keyFile, open } = await dataDir();
        const failing = failingFileOps(n, n % 2 === 0 ? 'ENOSPC' : 'EIO', duration);
        const secrets = await open(failing.ops);
        const outcome = await secrets.rotate(resealAllIn(db)).then(() => 'rotated', String);
        if (failing.count() < n) break;
        failures += 1;
        const when = `operation ${n}: ${outcome}`;
        expectAllReadable(db, secrets, `${when}, at once`);
        expectAllReadable(db, await open(), `${when}, after a restart`);
        const { to } = await (await open()).rotate(resealAllIn(db));
        expect(keysIn(keyFile), when).toEqual([to]);
        expectAllReadable(db, await open(), `${when}, after the next rotation`);
      }
      expect(failures).toBeGreaterThanOrEqual(14);
    },
  );

  it('is readable whichever statement fails', async () => {
    let failures = 0;
    for (let n = 1; ; n += 1) {
      const { db, keyFile, open, secrets: before } = await dataDir();
      const from = before.status().keyId;
      const quiet = failingDatabase(db, Number.POSITIVE_INFINITY);
      await open(nodeFileOps, quiet.db);
      const failing = failingDatabase(db, quiet.count() + n);
      const secrets = await open(nodeFileOps, failing.db);
      const outcome = await secrets.rotate(resealAllIn(failing.db)).then(() => 'rotated', String);
      if (failing.count() < quiet.count() + n) break;
      failures += 1;
      const when = `statement ${n}: ${outcome}`;
      expect(outcome, when).not.toBe('rotated');
      expectAllReadable(db, secrets, `${when}, at once`);
      const used = new Set([...tokens(db).values()].map(sealedKeyId));
      expect(used.size, `${when}: all old or all new`).toBe(1);
      if (getMeta(db, 'key_id') === from) expect([...used], when).toEqual([from]);
      const restarted = await open();
      expectAllReadable(db, restarted, `${when}, after a restart`);
      await restarted.rotate(resealAllIn(db));
      expect(keysIn(keyFile), when).toHaveLength(1);
    }
    expect(failures).toBeGreaterThanOrEqual(10);
  });

  it('is finished by the next start when only the old key was left to drop', async () => {
    const { db, keyFile, open } = await dataDir();
    const rotating = (await open(failingSecondWrite())).rotate(resealAllIn(db));
    await expect(rotating).rejects.toMatchObject({ code: 'disk_write_failed' });
    await expect(rotating).rejects.toThrow('but the older keys are still in');
    expect(keysIn(keyFile)).toHaveLength(2);

    const stillFailing = await open(failingFileOps(1, 'EIO', 'onwards').ops);
    expect(stillFailing.status()).toMatchObject({
      state: 'ready',
      reason: expect.stringContaining('older keys') as string,
    });
    expectAllReadable(db, stillFailing, 'while the disk fails');

    const restarted = await open();
    expect(keysIn(keyFile)).toEqual([restarted.status().keyId]);
    expect(restarted.status().reason).toBeUndefined();
    expectAllReadable(db, restarted, 'after the clean-up');
    expectAllReadable(db, await open(), 'after one more start');
  });

  it('a start drops no key that a value came back for, from a backup say', async () => {
    const { db, keyFile, open, secrets } = await dataDir();
    const old = tokens(db).get('git')!;
    await expect((await open(failingSecondWrite())).rotate(resealAllIn(db))).rejects.toThrow('older keys');
    db.prepare("UPDATE settings SET document = ? WHERE connector_id = 'git'").run(JSON.stringify({ token: old }));
    expectAllReadable(db, await open(), 'after the restart');
    expect(keysIn(keyFile)).toContain(secrets.status().keyId);
  });
});

describe('rotating FORGE_ENCRYPTION_KEY', () => {
  it('explains what to do while there is one key only', async () => {
    const root = tempDir();
    const db = await openDatabase(path.join(root, 'forge.db'));
    onTestFinished(() => db.close());
    const secrets = await openSecrets({ db, keyStore: envKeyStore(newKey().bytes.toString('hex')) });
    await expect(secrets.rotate(resealAllIn(db))).rejects.toMatchObject({
      code: 'key_invalid',
      hint: expect.stringContaining('put a new key first') as string,
    });
  });

  /** Secrets sealed with the first of two keys, opened with the second one in front of it. */
  async function newKeyInFront() {
    const db = await openDatabase(path.join(tempDir(), 'forge.db'));
    onTestFinished(() => db.close());
    const [old, next] = [newKey(), newKey()];
    const withKeys = (...keys: (typeof old)[]) =>
      openSecrets({ db, keyStore: envKeyStore(keys.map((key) => key.bytes.toString('hex')).join(',')) });
    const before = await withKeys(old);
    await before.prepare();
    for (const id of CONNECTORS) store(db, before, id);
    return { db, old, next, withKeys, rotating: await withKeys(next, old) };
  }

  it('seals everything with the first key and says which ones may go', async () => {
    const { db, old, next, withKeys, rotating } = await newKeyInFront();
    expectAllReadable(db, rotating, 'with both keys');
    const rotation = await rotating.rotate(resealAllIn(db));
    expect(rotation).toEqual({ from: old.id, to: next.id, count: 3, removable: [old.id] });
    expectAllReadable(db, await withKeys(next), 'with the new key alone');
    expect((await withKeys(old)).state).toBe('unreadable');
  });

  it('does not say that a key may go while a stored value needs it', async () => {
    const { rotating } = await newKeyInFront();
    expect((await rotating.rotate(() => undefined)).removable).toEqual([]);
  });

  it('seals with the first key also before a rotation, and opens what either sealed', async () => {
    const { db, next, rotating } = await newKeyInFront();
    store(db, rotating, 'jira');
    expect(sealedKeyId(tokens(db).get('jira')!)).toBe(next.id);
    expectAllReadable(db, rotating, 'with both keys in use');
  });
});
