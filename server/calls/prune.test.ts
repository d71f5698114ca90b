import { describe, expect, it } from 'vitest';
import { createCallLog } from './call-log.ts';
import { entry, START, testKeys, world } from './testing/world.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A log with so many calls. */
async function filled(count: number, limits = { days: 30, rows: 1_000_000 }) {
  const made = await world({ limits });
  for (let n = 1; n <= count; n += 1) made.log.record(entry(n));
  made.log.flush();
  const rowCount = () => Number(made.db.prepare('SELECT count(*) AS n FROM calls').get()?.['n']);
  return { ...made, rowCount };
}

describe('a clock that is wrong', () => {
  it.each([
    ['40 days ahead at one start', [40]],
    ['10 years ahead', [3650]],
    ['40 days back', [-40]],
    ['ahead and back again', [40, -40, 80, -80, 400, -400]],
    ['ahead by another day at every start', Array.from({ length: 60 }, () => 1)],
  ])('S6 removes nothing: %s', async (_, jumps) => {
    const made = await filled(50);
    let { log } = made;
    for (const days of jumps) {
      made.clock.now += days * DAY_MS;
      made.clock.ran += 2000;
      expect(await log.prune()).toBe(0);
      await log.close();
      log = createCallLog({ ...made.deps, db: made.db, keys: testKeys(false) });
      expect(await log.prune()).toBe(0);
    }
    expect(await log.verify()).toMatchObject({ ok: true, calls: 50, pruned: [] });
  });

  it('S6 counts at most one day, however far it jumps', async () => {
    const made = await filled(5, { days: 3, rows: 1_000_000 });
    await made.log.prune();
    for (let jump = 1; jump <= 2; jump += 1) {
      made.clock.now += 100 * DAY_MS;
      made.clock.ran += HOUR_MS;
      expect(await made.log.prune()).toBe(0);
    }
    expect(made.db.prepare(`SELECT count(*) AS n FROM calls WHERE code = 'day'`).get()).toEqual({ n: 2 });
  });

  it('S6 days that somebody else has noted do not count', async () => {
    const made = await filled(5, { days: 2, rows: 1_000_000 });
    const add = made.db.prepare(
      `INSERT INTO calls SELECT ?, ?, at, caller, tool_id, connector_id, args, 'note', 'day', message, duration_ms, stages, trace, prev_hash, hash FROM calls WHERE seq = 5`,
    );
    for (let seq = 6; seq <= 9; seq += 1) add.run(seq, `note_${seq}`);
    made.clock.now += 100 * DAY_MS;
    expect(await made.log.prune()).toBe(0);
  });
});

describe('by age', () => {
  it('removes what is older than the retention, says so in the chain, and goes on counting', async () => {
    const { log, live, rowCount } = await filled(10, { days: 7, rows: 1_000_000 });
    expect(await live(6)).toBe(0);
    expect(await live(2)).toBeGreaterThanOrEqual(10);
    expect(await log.list({ limit: 20 })).toEqual([]);
    const { pruned } = await log.verify();
    expect(pruned).toMatchObject([{ from: 1, why: 'age' }]);
    expect(pruned[0]!.count).toBe(pruned[0]!.to);
    const before = rowCount();
    log.record(entry(11, { at: new Date(START + 8 * DAY_MS) }));
    expect(await log.verify()).toMatchObject({ ok: true, checked: before + 1, calls: 1 });
  });

  it('takes no more than a tenth of a long log at once', async () => {
    const { log, live, clock } = await filled(3000, { days: 1, rows: 1_000_000 });
    expect(await live(1)).toBe(0);
    clock.now += HOUR_MS;
    clock.ran += HOUR_MS;
    expect(await log.prune()).toBe(300);
    expect(await log.verify()).toMatchObject({ ok: true, pruned: [{ from: 1, to: 300, count: 300, why: 'age' }] });
  });

  it('is not held up by rows of a clock that was ahead', async () => {
    const { log, live } = await filled(2, { days: 2, rows: 1_000_000 });
    log.record(entry(3, { at: new Date(START + 4000 * DAY_MS) }));
    log.record(entry(4));
    log.flush();
    expect(await live(3)).toBeGreaterThanOrEqual(4);
    expect(await log.verify()).toMatchObject({ ok: true, calls: 0 });
  });
});

describe('by count', () => {
  it('removes what is too much, oldest first, and says so', async () => {
    const { log, live } = await filled(1050, { days: 30, rows: 1000 });
    expect(await live(1)).toBe(51);
    expect(await log.verify()).toMatchObject({ ok: true, pruned: [{ from: 1, to: 51, why: 'count' }] });
  });

  it('S6 a flood does not push out what was called on the same day', async () => {
    const { log, live } = await filled(10, { days: 30, rows: 1000 });
    await live(1);
    log.record(entry(11, { toolId: 'jira.delete_issue' }));
    for (let n = 12; n <= 5000; n += 1) log.record(entry(n));
    log.flush();
    await live(0.5);
    expect(await log.list({ limit: 5, tool: 'jira.delete_issue' })).toHaveLength(1);
  });
});

it('rows that a kill kept from being removed are hidden, and go at the next prune', async () => {
  const { db, log, live, rowCount, deps } = await filled(20, { days: 1, rows: 1_000_000 });
  expect(await live(2)).toBeGreaterThanOrEqual(20);
  const kept = rowCount();
  // As if the process had ended after the note and before the rows.
  db.exec(`INSERT INTO meta (key, value) VALUES ('calls_removing', '1')`);
  db.exec(
    `INSERT INTO calls SELECT 5, 'call_old', at, caller, 'jira.get_issue', 'jira', args, 'ok', code, message, duration_ms, stages, trace, prev_hash, hash FROM calls ORDER BY seq LIMIT 1`,
  );
  const next = createCallLog({ ...deps, db, keys: testKeys(false) });
  expect(await next.list({ limit: 5 })).toEqual([]);
  expect(await next.verify()).toMatchObject({ ok: true });
  await next.prune();
  expect(rowCount()).toBe(kept);
  expect(await log.verify()).toMatchObject({ ok: true });
});
