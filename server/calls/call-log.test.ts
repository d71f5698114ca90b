import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createCallLog } from './call-log.ts';
import type { CallEntry } from './call.ts';
import { entry, handTimer, testKeys, world } from './testing/world.ts';

function rowCount(db: Awaited<ReturnType<typeof world>>['db']): unknown {
  return db.prepare('SELECT count(*) AS n FROM calls').get()?.['n'];
}

describe('recording', () => {
  it('keeps every field', async () => {
    const { log } = await world();
    log.record(entry(1));
    log.record(entry(2, { outcome: 'error', code: 'upstream_error', message: 'HTTP 404', caller: 'chat' }));
    expect(log.get(entry(2).id)).toEqual({
      seq: 2,
      id: 'call_0000000000000002',
      at: '2026-03-01T12:00:02.000Z',
      caller: 'chat',
      tool_id: 'jira.get_issue',
      connector_id: 'jira',
      args: { key: 'ABC-2' },
      outcome: 'error',
      code: 'upstream_error',
      message: 'HTTP 404',
      duration_ms: 12,
      stages: { expand: 0.1, run: 12 },
      trace: { request: { url: 'https://jira.example/issue/ABC-2', headers: { authorization: '[secret]' } } },
      prev_hash: log.get(entry(1).id)?.hash,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(log.get('call_ffffffffffffffff')).toBeNull();
  });

  it('waits 50 ms and then writes all that came in the meantime at once', async () => {
    const { db, counts, timer, log } = await world();
    for (let n = 1; n <= 20; n += 1) log.record(entry(n));
    expect([rowCount(db), timer.delays()]).toEqual([0, [50]]);
    timer.fire();
    expect([rowCount(db), counts.transactions, timer.delays()]).toEqual([20, 1, []]);
  });

  it('does not wait when a batch is full, and lets other work in between two batches', async () => {
    const { db, timer, log } = await world({ maxBatch: 4 });
    for (let n = 1; n <= 9; n += 1) log.record(entry(n));
    const steps: unknown[] = [];
    while (timer.delays().length > 0) {
      steps.push([rowCount(db), ...timer.delays()]);
      timer.fire();
    }
    expect(steps).toEqual([
      [0, 0],
      [4, 0],
      [8, 50],
    ]);
    expect(rowCount(db)).toBe(9);
  });

  it('takes 10,000 calls without touching the disk, and writes them in few transactions', async () => {
    const { db, counts, log } = await world();
    for (let n = 1; n <= 10_000; n += 1) log.record(entry(n));
    expect([rowCount(db), counts.transactions]).toEqual([0, 0]);
    log.flush();
    expect([rowCount(db), counts.transactions]).toEqual([10_000, Math.ceil(10_000 / 512)]);
    expect(await log.verify()).toMatchObject({ ok: true, checked: 10_000 });
  });

  it('packs calls together, after a while or when there are many, and large or begun ones at once', async () => {
    const packing = handTimer();
    const { log } = await world({ packLater: packing.schedule });
    log.record(entry(1));
    expect(packing.delays()).toEqual([50]);
    for (let n = 2; n <= 127; n += 1) log.record(entry(n));
    expect(packing.delays()).toEqual([50]);
    log.record(entry(128));
    expect(packing.delays()).toEqual([0]);
    packing.fire();
    log.record(entry(129));
    log.record({ ...entry(130), isLarge: true });
    expect(packing.delays()).toEqual([0]);
    packing.fire();
    const begun = log.intend({ ...entry(131), outcome: 'started' });
    log.flush();
    await begun;
    log.record(entry(131));
    expect(packing.delays()).toEqual([0]);
    expect((await log.list({ limit: 1000 })).length).toBe(131);
    // What was asked for has packed it all, so nothing is left to do.
    expect(packing.delays()).toEqual([]);
  });

  it('writes what waits when it is closed, and reports calls that come later', async () => {
    const { db, problems, timer, log } = await world();
    log.record(entry(1));
    await log.close();
    log.record(entry(2));
    expect([rowCount(db), timer.delays()]).toEqual([1, []]);
    expect(problems).toMatchObject([{ message: expect.stringContaining('after the log was closed'), dropped: 1 }]);
  });
});

describe('odd entries', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 3000; level += 1) deep = [deep];
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const odd: [string, Partial<CallEntry>, object][] = [
    [
      'half a character',
      { message: 'a\ud800b', args: { x: '\ud800' } },
      { message: 'a\ufffdb', args: { x: '\ud800' } },
    ],
    ['a zero byte', { message: 'a\0b', caller: '\0' }, { message: 'a\ufffdb', caller: '\ufffd' }],
    [
      'arguments too deep to be written again',
      { args: deep as never },
      { args: '[not kept]', tool_id: 'jira.get_issue' },
    ],
    ['arguments that are no JSON', { args: circular as never }, { args: '[not kept]' }],
    ['nothing in place of a trace', { trace: undefined as never }, { trace: null }],
    ['a duration that is no number', { durationMs: Number.NaN }, { duration_ms: 0 }],
    ['a time that is none', { at: new Date(Number.NaN) }, { at: '1970-01-01T00:00:00.000Z' }],
  ];

  it.each(odd)('%s: the call is in the log all the same, and the chain holds', async (_, changes, expected) => {
    const { problems, log } = await world();
    for (const one of [entry(1), entry(2, changes), entry(3)]) log.record(one);
    expect(log.get(entry(2).id)).toMatchObject(expected);
    expect(await log.verify()).toMatchObject({ ok: true, checked: 3 });
    expect(problems).toEqual([]);
  });

  it('parts that cannot be read: the call is in the log all the same', async () => {
    const { problems, log } = await world();
    const fails = (): never => {
      throw new Error('unreadable');
    };
    const broken = Object.defineProperties(entry(2), {
      args: { get: fails },
      message: { get: fails },
      trace: { get: fails },
    });
    for (const one of [entry(1), broken, entry(3)]) log.record(one);
    const notKept = '[not kept]';
    expect(log.get(entry(2).id)).toMatchObject({ args: notKept, message: notKept, trace: notKept, caller: 'http' });
    expect(await log.verify()).toMatchObject({ ok: true, checked: 3 });
    expect(problems).toEqual([]);
  });

  it('costly parts are not read while somebody waits for the call, and only once', async () => {
    const { db, deps } = await world();
    const log = createCallLog({ db, ...deps, keys: testKeys(false), packLater: () => () => undefined });
    let reads = 0;
    const costly = Object.defineProperty(entry(1), 'trace', { get: () => ({ reads: (reads += 1) }) });
    log.record(costly);
    expect(reads).toBe(0);
    expect(log.get(entry(1).id)?.trace).toEqual({ reads: 1 });
  });

  it('what somebody has put in the place of JSON is shown as it stands, and the chain tells', async () => {
    const { db, log } = await world();
    for (const n of [1, 2, 3]) log.record(entry(n));
    log.flush();
    db.exec(`UPDATE calls SET args = 'no JSON' WHERE seq = 2`);
    expect((await log.list({ limit: 10 })).map(({ args }) => args)).toEqual([
      { key: 'ABC-3' },
      'no JSON',
      { key: 'ABC-1' },
    ]);
    expect(await log.verify()).toMatchObject({ ok: false, firstBroken: { seq: 2 } });
  });

  it('an id that is taken is refused and told, and holds up nobody', async () => {
    const { problems, log } = await world();
    for (const one of [entry(1), entry(1, { message: 'again' }), entry(2)]) log.record(one);
    expect((await log.list({ limit: 10 })).map(({ seq, id }) => [seq, id])).toEqual([
      [2, entry(2).id],
      [1, entry(1).id],
    ]);
    expect(log.get(entry(1).id)).toMatchObject({ message: null });
    expect(await log.verify()).toMatchObject({ ok: true, checked: 2 });
    expect(problems).toEqual([{ message: `the log refused these calls: ${entry(1).id}`, waiting: 0, dropped: 1 }]);
  });
});

describe('reading', () => {
  async function filled() {
    const made = await world();
    made.log.record(entry(1));
    made.log.record(entry(2, { toolId: 'jira.add_comment', caller: 'chat', args: { text: '100% Done_now' } }));
    made.log.record(entry(3, { toolId: 'gitlab.merge', connectorId: 'gitlab', outcome: 'error', code: 'tool_error' }));
    made.log.record(entry(4, { message: 'a\\b' }));
    return made;
  }

  it.each([
    ['everything, the newest first', {}, [4, 3, 2, 1]],
    ['one tool', { tool: 'jira.get_issue' }, [4, 1]],
    ['one connector', { connector: 'gitlab' }, [3]],
    ['failures', { outcome: 'error' as const }, [3]],
    ['one caller', { caller: 'chat' }, [2]],
    ['since a moment', { since: '2026-03-01T12:00:03Z' }, [4, 3]],
    ['until a moment', { until: '2026-03-01T13:00:03+01:00' }, [2, 1]],
    ['a page', { before: 4 }, [3, 2, 1]],
    ['several at once', { connector: 'jira', caller: 'http', before: 4 }, [1]],
    ['text in arguments, in any case', { search: 'done' }, [2]],
    ['a percent sign, which stands for itself', { search: '0%' }, [2]],
    ['an underscore, which stands for itself', { search: 'e_n' }, [2]],
    ['a backslash, which stands for itself', { search: '\\' }, [4]],
    ['text in a code', { search: 'tool_err' }, [3]],
    ['text in a request', { search: 'issue/abc-4' }, [4]],
    ['an id', { search: entry(1).id }, [1]],
    ['nothing', { search: 'nowhere' }, []],
    ['a quote, which stands for itself', { search: `' OR 1=1 --` }, []],
  ])('lists %s, also what still waits', async (_, filter, expected) => {
    const { log } = await filled();
    expect((await log.list({ limit: 10, ...filter })).map(({ seq }) => seq)).toEqual(expected);
  });

  it.each(['since', 'until'])('refuses a %s that is no date', async (name) => {
    const { log } = await filled();
    await expect(log.list({ limit: 1, [name]: 'yesterday' })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(name) }),
    );
  });

  it.each([
    [2, 2],
    [0, 1],
    [-5, 1],
    [1_000_000, 4],
  ])('lists at most as many as asked for: %s', async (limit, count) => {
    const { log } = await filled();
    expect(await log.list({ limit })).toHaveLength(count);
  });

  it('exports JSON Lines, the oldest first, over more than one page', async () => {
    const { log } = await world();
    for (let n = 1; n <= 1203; n += 1) log.record(entry(n, n % 2 === 0 ? { caller: 'chat' } : {}));
    const linesOf = async (parts: AsyncIterable<string>) => {
      let text = '';
      for await (const part of parts) {
        expect(part.at(-1)).toBe('\n');
        text += part;
      }
      return text.split(/(?<=\n)/).filter((line) => line !== '');
    };
    const lines = await linesOf(log.exportLines());
    expect(lines).toHaveLength(1203);
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(Array.from({ length: 1203 }, (_, n) => n + 1));
    expect(JSON.parse(lines[6]!)).toEqual(log.get(entry(7).id));
    expect(await linesOf(log.exportLines({ caller: 'chat' }))).toHaveLength(601);
    expect(await linesOf(log.exportLines({ tool: 'none' }))).toEqual([]);
  });
});

describe('a killed process', () => {
  it('loses what waited and nothing else', async () => {
    const file = path.join(tempDir(), 'forge.db');
    const at = (name: string) => JSON.stringify(path.join(import.meta.dirname, name));
    const script = `
      import { openDatabase } from ${at('../store/database.ts')};
      import { createCallLog } from ${at('call-log.ts')};
      import { chainKeysOf } from ${at('chain.ts')};
      const keys = { segments: [], current: chainKeysOf(Buffer.alloc(32, 7)), isNew: true };
      const db = await openDatabase(${JSON.stringify(file)});
      const log = createCallLog({ db, keys, headFile: ${JSON.stringify(`${file}-head`)}, limits: { days: 30, rows: 1e6 } });
      const entry = (n) => ({ ...${JSON.stringify({ ...entry(0), at: null })}, id: 'call_' + n, at: new Date() });
      for (let n = 1; n <= 300; n += 1) log.record(entry(n));
      log.flush();
      for (let n = 301; n <= 400; n += 1) log.record(entry(n));
      process.kill(process.pid, 'SIGKILL');
    `;
    const killed = () =>
      execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: 'inherit' });
    expect(killed).toThrow(expect.objectContaining({ signal: 'SIGKILL' }));
    const db = await openDatabase(file);
    onTestFinished(() => db.close());
    const log = createCallLog({ db, keys: testKeys(false), headFile: `${file}-head`, limits: { days: 30, rows: 1e6 } });
    expect(await log.verify()).toMatchObject({ ok: true, checked: 300 });
    log.record(entry(1));
    expect(await log.verify()).toMatchObject({ ok: true, checked: 301 });
    await log.close();
  });
});
