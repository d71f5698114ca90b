import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failingDatabase } from '../store/testing/failing-database.ts';
import { createCallLog } from './call-log.ts';
import { readHeadFile } from './head-file.ts';
import { entry, testKeys, world } from './testing/world.ts';

type World = Awaited<ReturnType<typeof world>>;

const started = (n: number) => entry(n, { outcome: 'started', durationMs: 0 });

/** Begins calls and lets the queue write. */
async function begin({ log, timer }: World, ...numbers: number[]): Promise<void> {
  const all = Promise.all(numbers.map((n) => log.intend(started(n))));
  while (timer.fire());
  await all;
}

/** The same log after a kill: nothing of the first one is written any more. */
const restarted = ({ db, deps }: World) => createCallLog({ ...deps, db, keys: testKeys(false) });

describe('a call that may change something', () => {
  it('S6 is on disk before it begins, is one line while it runs, and one line when it has ended', async () => {
    const made = await world();
    await begin(made, 1);
    const { log } = made;
    expect(made.db.prepare('SELECT id, outcome FROM calls').all()).toEqual([{ id: entry(1).id, outcome: 'started' }]);
    expect(await log.list({ limit: 5 })).toMatchObject([{ id: entry(1).id, outcome: 'started' }]);
    log.record(entry(1));
    log.record(entry(2));
    expect((await log.list({ limit: 5 })).map(({ id, outcome }) => [id, outcome])).toEqual([
      [entry(2).id, 'ok'],
      [entry(1).id, 'ok'],
    ]);
    expect(log.get(entry(1).id)).toMatchObject({ outcome: 'ok', seq: 2 });
    expect(await log.verify()).toMatchObject({ ok: true, checked: 3, calls: 2, open: 0 });
  });

  it('S6 writes its end without waiting for others', async () => {
    const made = await world();
    await begin(made, 1);
    made.log.record(entry(1));
    expect(made.timer.delays()).toEqual([0]);
  });

  it('S6 many at once share one transaction', async () => {
    const made = await world();
    const before = made.counts.transactions;
    await begin(made, ...Array.from({ length: 32 }, (_, n) => n + 1));
    expect(made.counts.transactions - before).toBe(1);
  });

  it('S6 that had not ended when Forge was killed is shown as interrupted, once', async () => {
    const made = await world();
    await begin(made, 1, 2);
    made.log.record(entry(2));
    made.log.flush();
    for (const log of [restarted(made), restarted(made)]) {
      expect((await log.list({ limit: 5 })).map(({ id, outcome }) => [id, outcome])).toEqual([
        [entry(1).id, 'interrupted'],
        [entry(2).id, 'ok'],
      ]);
      expect(log.get(entry(1).id)).toMatchObject({
        args: { key: 'ABC-1' },
        code: 'interrupted',
        message: expect.stringContaining('not known whether it took effect'),
        trace: entry(1).trace,
      });
      expect(await log.list({ limit: 5, outcome: 'interrupted' })).toHaveLength(1);
      expect(await log.verify()).toMatchObject({ ok: true, calls: 2, open: 0 });
    }
  });

  it('S15 is not made when the disk is full; the log says why, and recovers', async () => {
    const { db, deps, timer, clock } = await world();
    const failing = failingDatabase(db, Infinity);
    const log = createCallLog({ ...deps, db: failing.db, keys: testKeys(false) });
    const fail = () => failing.failAt(failing.count() + 2);
    fail();
    const refused = log.intend(started(1));
    while (timer.fire());
    await expect(refused).rejects.toMatchObject({ code: 'call_not_recorded', message: /the disk is full/ });
    expect(log.problem()).toBe('the disk is full');
    expect(await log.list({ limit: 5 })).toEqual([]);
    clock.ran += 5000;
    const accepted = log.intend(started(2));
    while (timer.fire());
    await accepted;
    expect(log.problem()).toBeNull();
    expect(await log.verify()).toMatchObject({ ok: true, checked: 1 });
  });
});

describe('the record of the newest row outside of the database', () => {
  const headOf = ({ deps }: World) => readHeadFile(deps.headFile, deps.keys.current!.head);
  const headIn = ({ db }: World) => {
    const { seq, hash } = JSON.parse(
      String(db.prepare(`SELECT value FROM meta WHERE key = 'calls_head'`).get()?.['value']),
    ) as { seq: number; hash: string };
    return { seq, hash };
  };
  const rewind = (to: number) => `
    DELETE FROM calls WHERE seq > ${to};
    DELETE FROM open_calls WHERE seq > ${to};
    UPDATE meta SET value = (SELECT json_object('seq', seq, 'hash', hash, 'count', seq) FROM calls WHERE seq = ${to})
      WHERE key = 'calls_head';`;

  it('S6 names every call that has begun, before it begins', async () => {
    const made = await world();
    for (const n of [1, 2, 3]) {
      made.log.record(entry(n + 10));
      await begin(made, n);
      expect(headOf(made)).toEqual(headIn(made));
    }
  });

  it.each([1, 2, 3])(
    'S6 shows that the last %i calls that changed something were removed, head and rows',
    async (gone) => {
      const made = await world();
      await begin(made, 1);
      await begin(made, 2);
      await begin(made, 3);
      made.db.exec(rewind(3 - gone).replaceAll('FROM calls WHERE seq = 0', `FROM (SELECT 0 AS seq, '' AS hash)`));
      expect(await made.log.verify()).toMatchObject({ ok: false, firstBroken: { seq: 4 - gone } });
      // The next start and the next calls do not hide it.
      const next = restarted(made);
      expect(await next.verify()).toMatchObject({ ok: false, firstBroken: { reason: /named row 3/ } });
      await begin({ ...made, log: next }, 4);
      expect(await next.verify()).toMatchObject({ ok: false, firstBroken: { reason: /named row 3/ } });
    },
  );

  it.each([
    ['removed', (file: string) => rmSync(file), /is missing/, /was missing/],
    ['emptied', (file: string) => writeFileSync(file, ''), /was changed/, /not what Forge wrote/],
    [
      'replaced by one without the key',
      (file: string) => writeFileSync(file, `${JSON.stringify({ v: 1, seq: 1, hash: 'x' })}\n${'0'.repeat(64)}\n`),
      /was changed/,
      /not what Forge wrote/,
    ],
  ])('S6 shows that it was %s, also after the next start', async (_, act, now, later) => {
    const made = await world();
    await begin(made, 1);
    act(made.deps.headFile);
    expect(await made.log.verify()).toMatchObject({ ok: false, firstBroken: { reason: now } });
    await made.log.close();
    expect(await restarted(made).verify()).toMatchObject({ ok: false, firstBroken: { reason: later } });
  });

  it('S6 shows that a call which never ended was hidden', async () => {
    const made = await world();
    await begin(made, 1);
    made.db.exec('DELETE FROM open_calls');
    expect(await made.log.verify()).toMatchObject({ ok: false, firstBroken: { seq: 1, reason: /hidden/ } });
  });

  it('S6 a head that somebody has noted shows an older copy of all of it', async () => {
    const made = await world();
    await begin(made, 1);
    const { head: first } = await made.log.verify();
    await begin(made, 2);
    const { head: noted } = await made.log.verify();
    expect(noted).toMatch(/^2:[0-9a-f]{16}$/);
    for (const since of [first!, noted!]) expect(await made.log.verify({ since })).toMatchObject({ ok: true });
    expect(await made.log.verify({ since: '2:0123456789abcdef' })).toMatchObject({
      ok: false,
      firstBroken: { seq: 2, reason: /you have noted/ },
    });
    // Database and file from before the second call, both as Forge wrote them.
    made.db.exec(rewind(1));
    rmSync(made.deps.headFile);
    createCallLog({ ...made.deps, db: made.db });
    expect(await made.log.verify()).toMatchObject({ ok: true });
    expect(await made.log.verify({ since: noted! })).toMatchObject({
      ok: false,
      firstBroken: { seq: 2, reason: /you have noted/ },
    });
    await expect(made.log.verify({ since: 'yesterday' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('S6 rows rewritten without the key do not hold, whoever chains them', async () => {
    const made = await world();
    for (const n of [1, 2, 3]) made.log.record(entry(n));
    made.log.flush();
    const forger = { ...made.deps, keys: { ...testKeys(false), current: null } };
    made.db.exec('DELETE FROM calls; DELETE FROM meta');
    const log = createCallLog({ ...forger, db: made.db });
    for (const n of [1, 2]) log.record(entry(n));
    log.flush();
    expect(await made.log.verify()).toMatchObject({ ok: true, checked: 2, unkeyed: 2 });
    made.db.exec(`UPDATE calls SET hash = substr(hash, 9)`);
    expect(await made.log.verify()).toMatchObject({ ok: false, firstBroken: { seq: 1 } });
  });
});
