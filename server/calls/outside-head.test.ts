import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Keychain } from '../secrets/key-store-keychain.ts';
import { createCallLog } from './call-log.ts';
import { createHeadFile } from './head-file.ts';
import { keychainHead } from './outside-head.ts';
import { entry, testKeys, world } from './testing/world.ts';

/** A keychain in memory. */
function memoryKeychain() {
  const entries = new Map<string, string>();
  const keychain: Keychain = {
    read: (_, account) => Promise.resolve(entries.get(account) ?? null),
    write: (_, account, text) => Promise.resolve(void entries.set(account, text)),
  };
  return { entries, keychain };
}

/** Five calls, and a prune that has recorded the newest in the keychain. */
async function recorded() {
  const { db, deps } = await world();
  const { entries, keychain } = memoryKeychain();
  const withKey = (key = deps.keys.current!.head) =>
    createCallLog({ ...deps, db, keys: testKeys(false), outside: keychainHead(keychain, '/data', key) });
  const log = withKey();
  for (let n = 1; n <= 5; n += 1) log.record(entry(n));
  await log.prune();
  return { db, deps, entries, log, withKey };
}

it('S6 an older copy of database and file shows against the keychain, also after the next prune', async () => {
  const { db, deps, entries, log } = await recorded();
  expect([...entries.values()][0]).toContain('"seq":5');
  expect(await log.verify()).toMatchObject({ ok: true, checked: 5 });
  db.exec(`DELETE FROM calls WHERE seq > 3;
    UPDATE meta SET value = (SELECT json_object('seq', 3, 'hash', hash, 'count', 3) FROM calls WHERE seq = 3) WHERE key = 'calls_head'`);
  rmSync(deps.headFile);
  const hash = String(db.prepare('SELECT hash FROM calls WHERE seq = 3').get()?.['hash']);
  createHeadFile(deps.headFile, deps.keys.current!.head, { seq: 3, hash });
  const missing = { ok: false, firstBroken: { seq: 4, reason: expect.stringContaining('the keychain') } };
  expect(await log.verify()).toMatchObject(missing);
  await log.prune();
  expect(await log.verify()).toMatchObject(missing);
});

it('S6 a record of another key shows, and is not replaced', async () => {
  const { entries, withKey } = await recorded();
  const before = [...entries.values()];
  const other = withKey(Buffer.alloc(32, 1));
  other.record(entry(6));
  await other.prune();
  expect([...entries.values()]).toEqual(before);
  expect((await other.verify()).ok).toBe(false);
});

it('a keychain that is locked says nothing about the log', async () => {
  const { db, deps } = await world();
  const keychain: Keychain = {
    read: () => Promise.reject(new Error('locked')),
    write: () => Promise.reject(new Error('locked')),
  };
  const outside = keychainHead(keychain, '/data', deps.keys.current!.head);
  const log = createCallLog({ ...deps, db, keys: testKeys(false), outside });
  log.record(entry(1));
  await log.prune();
  expect(await log.verify()).toMatchObject({ ok: true, checked: 1 });
});
