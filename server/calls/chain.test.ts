import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { MIGRATIONS } from '../store/migrations.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createCallLog } from './call-log.ts';
import { columnsOfRow } from './call.ts';
import { formerChainHash, verifyChain } from './chain.ts';
import { entry, START, world } from './testing/world.ts';

/** Ten calls on disk. */
async function filled() {
  const made = await world();
  for (let n = 1; n <= 10; n += 1) made.log.record(entry(n, n === 5 ? { code: 'x', message: 'y' } : {}));
  expect(await made.log.verify()).toEqual({ ok: true, checked: 10 });
  return made;
}

describe('a log that somebody changed', () => {
  it.each([
    ['id', `'call_x'`],
    ['at', `'2026-03-01T12:00:05.001Z'`],
    ['caller', `'somebody else'`],
    ['tool_id', `'jira.delete_issue'`],
    ['connector_id', `'gitlab'`],
    ['args', `'{"key":"ABC-6"}'`],
    ['args', `'{"key": "ABC-5"}'`],
    ['outcome', `'error'`],
    ['code', 'NULL'],
    ['code', `'null'`],
    ['message', `''`],
    ['duration_ms', '13'],
    ['stages', `'{}'`],
    ['trace', `'null'`],
    ['hash', `'${'0'.repeat(64)}'`],
    ['prev_hash', `'${'0'.repeat(64)}'`],
  ])('shows a changed %s', async (column, value) => {
    const { db, log } = await filled();
    db.exec(`UPDATE calls SET ${column} = ${value} WHERE seq = 5`);
    expect(await log.verify()).toMatchObject({
      ok: false,
      checked: 4,
      firstBroken: { seq: 5, reason: expect.any(String) },
    });
  });

  it.each([
    ['the first row', 'DELETE FROM calls WHERE seq = 1', 1, 'row 1 is missing'],
    ['rows in the middle', 'DELETE FROM calls WHERE seq IN (4, 5)', 4, 'the rows from 4 to 5 are missing'],
    ['the last row', 'DELETE FROM calls WHERE seq = 10', 10, 'row 10 is missing'],
    ['the last rows', 'DELETE FROM calls WHERE seq > 7', 8, 'the rows from 8 to 10 are missing'],
    ['every row', 'DELETE FROM calls', 1, 'the rows from 1 to 10 are missing'],
  ])('shows that it lacks %s, also after the next call', async (_, sql, seq, reason) => {
    const { db, log } = await filled();
    db.exec(sql);
    const firstBroken = { seq, id: null, reason };
    expect(await log.verify()).toMatchObject({ ok: false, firstBroken });
    log.record(entry(11));
    expect(await log.verify()).toMatchObject({ ok: false, firstBroken });
  });

  it.each([
    [
      'two rows that changed places',
      'UPDATE calls SET seq = -1 WHERE seq = 4; UPDATE calls SET seq = 4 WHERE seq = 5; UPDATE calls SET seq = 5 WHERE seq = -1',
    ],
    ['a row moved to the end', 'UPDATE calls SET seq = 11 WHERE seq = 4'],
    ['a row moved to the front', 'UPDATE calls SET seq = 0 WHERE seq = 4'],
    [
      'a copy of a row',
      `INSERT INTO calls SELECT 11, 'call_copy', at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms, stages, trace, prev_hash, hash FROM calls WHERE seq = 10`,
    ],
    ['a gap closed by renumbering', 'DELETE FROM calls WHERE seq = 10; UPDATE calls SET seq = 10 WHERE seq = 9'],
    ['the record of the newest row removed', `DELETE FROM meta WHERE key = 'calls_head'`],
    ['the record of the newest row spoiled', `UPDATE meta SET value = 'x' WHERE key = 'calls_head'`],
    [
      'another number of rows recorded',
      `UPDATE meta SET value = json_set(value, '$.count', 9) WHERE key = 'calls_head'`,
    ],
    ['another newest row recorded', `UPDATE meta SET value = json_set(value, '$.hash', 'x') WHERE key = 'calls_head'`],
  ])('shows %s', async (_, sql) => {
    const { db, log } = await filled();
    db.exec(sql);
    expect((await log.verify()).ok).toBe(false);
  });

  it('shows rows that were written by somebody who knows how to chain them', async () => {
    const { db, deps, log } = await filled();
    const head = db.prepare(`SELECT value FROM meta WHERE key = 'calls_head'`).get()?.['value'];
    const forger = createCallLog({ db, ...deps });
    forger.record(entry(11));
    forger.flush();
    expect(await log.verify()).toEqual({ ok: true, checked: 11 });
    db.prepare(`UPDATE meta SET value = ? WHERE key = 'calls_head'`).run(String(head));
    expect(await log.verify()).toMatchObject({
      ok: false,
      firstBroken: { seq: 11, reason: 'Forge did not write this row' },
    });
    log.record(entry(12));
    expect(log.list({ limit: 1 })).toMatchObject([{ seq: 12 }]);
    expect(await log.verify()).toMatchObject({ ok: false, firstBroken: { seq: 12 } });
  });

  it.each([
    ['the start of the chain removed', `DELETE FROM meta WHERE key = 'calls_anchor'`],
    ['the oldest kept row removed', 'DELETE FROM calls WHERE seq = 6'],
    [
      'a removed row put back',
      `INSERT INTO calls SELECT 3, 'call_copy', at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms, stages, trace, prev_hash, hash FROM calls WHERE seq = 6`,
    ],
    ['everything removed', 'DELETE FROM calls'],
  ])('shows, after old rows were pruned, %s', async (_, sql) => {
    const { db, clock, log } = await filled();
    clock.now = START + 30 * 86_400_000 + 6000;
    expect(log.prune()).toBe(5);
    expect(await log.verify()).toEqual({ ok: true, checked: 5 });
    db.exec(sql);
    expect((await log.verify()).ok).toBe(false);
  });

  it('is sound again when the changed part has passed its retention', async () => {
    const { db, clock, log } = await filled();
    db.exec('DELETE FROM calls WHERE seq = 2');
    expect((await log.verify()).ok).toBe(false);
    clock.now = START + 30 * 86_400_000 + 6000;
    expect(log.prune()).toBe(4);
    expect(await log.verify()).toEqual({ ok: true, checked: 5 });
  });
});

describe('a log that changes while it is checked', () => {
  const PRUNE = START + 30 * 86_400_000;

  const atTurn = (wanted: number, work: () => void) => {
    let turn = 0;
    return () => {
      if (turn === wanted) work();
      turn += 1;
      return Promise.resolve();
    };
  };

  it.each([0, 1, 2, 3, 4])('is sound with calls recorded at turn %i', async (turn) => {
    const { db, log } = await filled();
    const record = atTurn(turn, () => {
      for (let n = 11; n <= 15; n += 1) log.record(entry(n));
      log.flush();
    });
    expect(await verifyChain(db, { pageRows: 2, turn: record })).toEqual({ ok: true, checked: 15 });
  });

  it.each([
    [0, 5, 5],
    [1, 1, 9],
    [1, 9, 1],
    [3, 3, 7],
    [4, 10, 0],
  ])('is sound when, at turn %i, the %i oldest calls go', async (turn, gone, checked) => {
    const { db, clock, log } = await filled();
    const prune = atTurn(turn, () => {
      clock.now = PRUNE + gone * 1000 + 500;
      expect(log.prune()).toBe(gone);
    });
    expect(await verifyChain(db, { pageRows: 2, turn: prune })).toEqual({ ok: true, checked });
  });

  it.each([
    ['ahead of the check', 'UPDATE calls SET args = 1 WHERE seq = 9', 9],
    ['by removing what is not checked yet', 'DELETE FROM calls WHERE seq > 6', 7],
    [
      'by adding to the end',
      `INSERT INTO calls SELECT 11, 'call_copy', at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms, stages, trace, prev_hash, hash FROM calls WHERE seq = 10`,
      11,
    ],
  ])('shows a change made meanwhile %s', async (_, sql, seq) => {
    const { db } = await filled();
    expect(await verifyChain(db, { pageRows: 2, turn: atTurn(1, () => db.exec(sql)) })).toMatchObject({
      ok: false,
      firstBroken: { seq },
    });
  });

  it('is left alone when nobody waits for the answer any more', async () => {
    const { db } = await filled();
    const waits = new AbortController();
    const turn = atTurn(0, () => waits.abort(new Error('gone')));
    await expect(verifyChain(db, { pageRows: 2, turn, signal: waits.signal })).rejects.toThrow('gone');
  });

  it('lets other work have its turn', async () => {
    const { log } = await world();
    for (let n = 1; n <= 2000; n += 1) log.record(entry(n));
    let turns = 0;
    const other = () => {
      turns += 1;
      next = setImmediate(other);
    };
    let next = setImmediate(other);
    expect(await log.verify()).toEqual({ ok: true, checked: 2000 });
    clearImmediate(next);
    expect(turns).toBeGreaterThan(5);
  });
});

it('an empty log is sound', async () => {
  const { log } = await world();
  expect(await log.verify()).toEqual({ ok: true, checked: 0 });
});

describe('rows from before', () => {
  /** Ten calls whose hashes are as they were made at first. */
  async function old() {
    const made = await filled();
    let last = '';
    for (const row of made.db.prepare('SELECT * FROM calls ORDER BY seq').all()) {
      const seq = Number(row['seq']);
      const hash = formerChainHash(last, seq, columnsOfRow(row));
      made.db.prepare('UPDATE calls SET hash = ?, prev_hash = ? WHERE seq = ?').run(hash, last, seq);
      last = hash;
    }
    made.db.prepare(`UPDATE meta SET value = json_set(value, '$.hash', ?) WHERE key = 'calls_head'`).run(last);
    return made;
  }

  it('hold as they are, and the calls of today follow them', async () => {
    const { log } = await old();
    expect(await log.verify()).toEqual({ ok: true, checked: 10 });
    log.record(entry(11));
    expect(await log.verify()).toEqual({ ok: true, checked: 11 });
  });

  it('show a change', async () => {
    const { db, log } = await old();
    db.exec(`UPDATE calls SET message = 'z' WHERE seq = 5`);
    expect(await log.verify()).toMatchObject({ ok: false, firstBroken: { seq: 5, reason: 'its content was changed' } });
  });

  it('move to the table of today with everything in them', async () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('CREATE TABLE calls_unread'));
    const file = path.join(tempDir(), 'forge.db');
    const before = await openDatabase(file, { migrations: MIGRATIONS.slice(0, step) });
    const log = createCallLog({ db: before, retentionDays: 30 });
    for (let n = 1; n <= 3; n += 1) log.record(entry(n, n === 2 ? { code: 'x', message: 'y' } : {}));
    log.flush();
    const rows = before.prepare('SELECT * FROM calls ORDER BY seq').all();
    before.close();
    const after = await openDatabase(file);
    onTestFinished(() => after.close());
    expect(after.prepare('SELECT * FROM calls ORDER BY seq').all()).toEqual(rows);
    expect(await createCallLog({ db: after, retentionDays: 30 }).verify()).toEqual({ ok: true, checked: 3 });
  });
});
