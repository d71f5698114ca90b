import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { MIGRATIONS } from '../store/migrations.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { fileKeyStore } from '../secrets/key-store-file.ts';
import { openSecrets } from '../secrets/secrets.ts';
import { createCallLog } from './call-log.ts';
import { columnsOf, columnsOfRow } from './call.ts';
import { keylessHashes } from './chain.ts';
import { openLogKeys } from './log-keys.ts';
import { entry, testKeys, world } from './testing/world.ts';
import { verifyChain, type VerifyOptions } from './verify.ts';

/** Ten calls on disk. */
async function filled(limits = { days: 30, rows: 1_000_000 }) {
  const made = await world({ limits });
  for (let n = 1; n <= 10; n += 1) made.log.record(entry(n, n === 5 ? { code: 'x', message: 'y' } : {}));
  expect(await made.log.verify()).toMatchObject({ ok: true, checked: 10, keyless: 0, unkeyed: 0 });
  return made;
}

const checkOf = ({ deps }: Pick<Awaited<ReturnType<typeof world>>, 'deps'>): VerifyOptions => ({
  segments: deps.keys.segments,
  headFile: deps.headFile,
});

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

  const FIRST = '(SELECT min(seq) FROM calls)';

  it.each([
    ['the start of the chain removed', `DELETE FROM meta WHERE key = 'calls_anchor'`],
    ['the oldest kept row removed', `DELETE FROM calls WHERE seq = ${FIRST}`],
    [
      'the oldest kept row removed and the start moved behind it',
      `UPDATE meta SET value = (SELECT json_object('seq', seq, 'hash', hash) FROM calls WHERE seq = ${FIRST}) WHERE key = 'calls_anchor';
       UPDATE meta SET value = json_set(value, '$.count', json_extract(value, '$.count') - 1) WHERE key = 'calls_head';
       DELETE FROM calls WHERE seq = ${FIRST}`,
    ],
    [
      'a removed row put back',
      `INSERT INTO calls SELECT 3, 'call_copy', at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms, stages, trace, prev_hash, hash FROM calls WHERE seq = ${FIRST}`,
    ],
    ['everything removed', 'DELETE FROM calls'],
  ])('shows, after old rows were pruned, %s', async (_, sql) => {
    const { db, log, live } = await filled({ days: 2, rows: 1_000_000 });
    expect(await live(3)).toBeGreaterThanOrEqual(10);
    expect(await log.verify()).toMatchObject({ ok: true, pruned: [{ from: 1, why: 'age' }] });
    db.exec(sql);
    expect((await log.verify()).ok).toBe(false);
  });

  it('is sound again when the changed part has passed its retention', async () => {
    const { db, log, live } = await filled({ days: 2, rows: 1_000_000 });
    db.exec('DELETE FROM calls WHERE seq = 2');
    expect((await log.verify()).ok).toBe(false);
    expect(await live(3)).toBeGreaterThanOrEqual(9);
    expect(await log.verify()).toMatchObject({ ok: true });
  });
});

describe('a log that changes while it is checked', () => {
  const atTurn = (wanted: number, work: () => void) => {
    let turn = 0;
    return () => {
      if (turn === wanted) work();
      turn += 1;
      return Promise.resolve();
    };
  };

  it.each([0, 1, 2, 3, 4])('is sound with calls recorded at turn %i', async (turn) => {
    const { db, deps, log } = await filled();
    const record = atTurn(turn, () => {
      for (let n = 11; n <= 15; n += 1) log.record(entry(n));
      log.flush();
    });
    expect(await verifyChain(db, { ...checkOf({ deps }), pageRows: 2, turn: record })).toMatchObject({
      ok: true,
      checked: 15,
    });
  });

  it.each([0, 1, 2, 3, 4])('is sound when, at turn %i, the oldest calls go', async (turn) => {
    const made = await filled({ days: 1, rows: 1_000_000 });
    await made.live(1);
    let removed = 0;
    let turns = 0;
    const prune = async () => {
      if (turns === turn) removed = await made.live(1);
      turns += 1;
    };
    expect(await verifyChain(made.db, { ...checkOf(made), pageRows: 2, turn: prune })).toMatchObject({ ok: true });
    expect(removed).toBeGreaterThanOrEqual(10);
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
    const { db, deps } = await filled();
    const options = { ...checkOf({ deps }), pageRows: 2, turn: atTurn(1, () => db.exec(sql)) };
    expect(await verifyChain(db, options)).toMatchObject({
      ok: false,
      firstBroken: { seq },
    });
  });

  it('is left alone when nobody waits for the answer any more', async () => {
    const { db, deps } = await filled();
    const waits = new AbortController();
    const turn = atTurn(0, () => waits.abort(new Error('gone')));
    const options = { ...checkOf({ deps }), pageRows: 2, turn, signal: waits.signal };
    await expect(verifyChain(db, options)).rejects.toThrow('gone');
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
    expect(await log.verify()).toMatchObject({ ok: true, checked: 2000 });
    clearImmediate(next);
    expect(turns).toBeGreaterThan(5);
  });
});

it('an empty log is sound', async () => {
  const { log } = await world();
  expect(await log.verify()).toMatchObject({ ok: true, checked: 0 });
});

describe('rows from before the log had a key', () => {
  /** Ten calls with hashes as they were made at first (1) or later (0), and a key that was made after them. */
  async function old(kind: 0 | 1) {
    const made = await filled();
    let last = { seq: 0, hash: '' };
    for (const row of made.db.prepare('SELECT * FROM calls ORDER BY seq').all()) {
      const seq = Number(row['seq']);
      const hash = keylessHashes(last.hash, seq, columnsOfRow(row))[kind] ?? '';
      made.db.prepare('UPDATE calls SET hash = ?, prev_hash = ? WHERE seq = ?').run(hash, last.hash, seq);
      last = { seq, hash };
    }
    made.db.prepare(`UPDATE meta SET value = json_set(value, '$.hash', ?) WHERE key = 'calls_head'`).run(last.hash);
    const { current, isNew } = testKeys();
    const keys = { segments: [{ after: last, anchor: { seq: 0, hash: '' }, keys: current }], current, isNew };
    // A log without a key has no record outside either.
    rmSync(made.deps.headFile);
    return { ...made, keys, log: createCallLog({ db: made.db, ...made.deps, keys }) };
  }

  it.each([0, 1] as const)('hold as they are, are told apart, and keyed rows follow them (%i)', async (kind) => {
    const { log } = await old(kind);
    expect(await log.verify()).toMatchObject({ ok: true, checked: 10, keyless: 10 });
    log.record(entry(11));
    expect(await log.verify()).toMatchObject({ ok: true, checked: 11, keyless: 10 });
  });

  it('show a change, also by somebody who chains them anew', async () => {
    const { db, log } = await old(0);
    db.exec(`UPDATE calls SET message = 'z' WHERE seq = 5`);
    expect(await log.verify()).toMatchObject({ ok: false, firstBroken: { seq: 5, reason: 'its content was changed' } });
    let last = String(db.prepare('SELECT hash FROM calls WHERE seq = 4').get()?.['hash']);
    for (let seq = 5; seq <= 10; seq += 1) {
      const row = db.prepare('SELECT * FROM calls WHERE seq = ?').get(seq) ?? {};
      const hash = keylessHashes(last, seq, columnsOfRow(row))[0] ?? '';
      db.prepare('UPDATE calls SET hash = ?, prev_hash = ? WHERE seq = ?').run(hash, last, seq);
      last = hash;
    }
    db.prepare(`UPDATE meta SET value = json_set(value, '$.hash', ?) WHERE key = 'calls_head'`).run(last);
    expect(await log.verify()).toMatchObject({ ok: false, firstBroken: { seq: 10 } });
  });

  it('move to the table of today with everything in them', async () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('CREATE TABLE calls_paired'));
    const file = path.join(tempDir(), 'forge.db');
    const before = await openDatabase(file, { migrations: MIGRATIONS.slice(0, step) });
    const insert = before.prepare('INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    let last = '';
    for (let seq = 1; seq <= 3; seq += 1) {
      const columns = columnsOf(entry(seq, seq === 2 ? { code: 'x', message: 'y' } : {}));
      const hash = keylessHashes(last, seq, columns)[0] ?? '';
      const { id, at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms, stages, trace } =
        columns;
      // prettier-ignore
      insert.run(seq, id, at, caller, tool_id, connector_id, args, outcome, code, message, duration_ms, stages, trace, last, hash);
      last = hash;
    }
    before.prepare(`INSERT INTO meta VALUES ('calls_head', ?)`).run(JSON.stringify({ seq: 3, hash: last, count: 3 }));
    const rows = before.prepare('SELECT * FROM calls ORDER BY seq').all();
    before.close();
    const db = await openDatabase(file);
    onTestFinished(() => db.close());
    expect(db.prepare('SELECT * FROM calls ORDER BY seq').all()).toEqual(rows);
    const secrets = await openSecrets({ db, keyStore: fileKeyStore(`${file}-key`) });
    const keys = await openLogKeys({ db, secrets });
    const log = createCallLog({ db, keys, headFile: `${file}-head`, limits: { days: 30, rows: 1e6 } });
    expect(await log.verify()).toMatchObject({ ok: true, checked: 3, keyless: 3 });
  });
});
