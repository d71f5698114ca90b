import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openUnhurried } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { bundled } from '../testing/bundled.ts';
import { createOwnWriter } from './append-calls.ts';
import { createCallLog } from './call-log.ts';
import { columnsOf } from './call.ts';
import { packCall } from './packed-call.ts';
import { entry, testKeys, world } from './testing/world.ts';
import { readHeadFile } from './head-file.ts';
import { createThreadWriter } from './thread-writer.ts';
import type { BatchOutcome } from './write-queue.ts';

let script: URL;
beforeAll(async () => {
  script = await bundled('server/calls/writer-thread.ts');
});
afterAll(() => rmSync(script, { force: true }));

const packed = (n: number) => packCall(columnsOf(entry(n)));

async function threaded(given: { script?: URL; idleMs?: number } = {}) {
  const { file, db, deps, problems } = await world();
  const logDb = await openUnhurried(file);
  const own = { batches: 0 };
  const files = { keys: deps.keys.current, headFile: deps.headFile };
  const writer = createOwnWriter(logDb, files);
  const counted: typeof writer = {
    ...writer,
    write: (batch, isDurable, done) => {
      own.batches += 1;
      writer.write(batch, isDurable, done);
    },
  };
  const thread = createThreadWriter(counted, { script, ...given, ...files, database: file, minRows: 2 });
  const log = createCallLog({ ...deps, db: logDb, keys: testKeys(false), writer: thread, maxBatch: 4 });
  onTestFinished(() => {
    thread.close();
    logDb.close();
  });
  /** Waits until a batch was written, wherever that was. */
  const write = (first: number): Promise<BatchOutcome> =>
    new Promise((resolve) => thread.write([packed(first), packed(first + 1)], false, resolve));
  return { db, deps, log, own, problems, thread, write };
}

/** Writes pairs until the thread has taken one over; the number of the next entry. */
async function untilThreadWrites({ own, write }: Awaited<ReturnType<typeof threaded>>): Promise<number> {
  for (let next = 1; ; next += 2) {
    const before = own.batches;
    expect(await write(next)).toEqual({ refused: [] });
    if (own.batches === before) return next + 2;
    await new Promise(setImmediate);
  }
}

describe('a thread that writes the log', () => {
  it('continues the chain that the calling thread began, and the other way round', async () => {
    const world = await threaded();
    const next = await untilThreadWrites(world);
    for (const n of [0, 1, 2, 3, 4]) world.log.record(entry(next + n));
    expect(world.log.get(entry(next + 4).id)?.seq).toBe(next + 4);
    expect(await world.log.verify()).toMatchObject({ ok: true, checked: next + 4 });
    expect(world.problems).toEqual([]);
  });

  it('is waited for by whoever reads', async () => {
    const world = await threaded();
    const next = await untilThreadWrites(world);
    const outcomes: BatchOutcome[] = [];
    world.thread.write([packed(next), packed(next + 1)], false, (outcome) => outcomes.push(outcome));
    expect(outcomes).toEqual([]);
    world.thread.settle();
    expect(outcomes).toEqual([{ refused: [] }]);
    expect(world.log.get(entry(next + 1).id)?.seq).toBe(next + 1);
  });

  it('S6 has a beginning on disk, and in the record outside, before it says so', async () => {
    const world = await threaded();
    const next = await untilThreadWrites(world);
    const onDisk = world.log.intend(entry(next, { outcome: 'started' }));
    world.log.flush();
    await onDisk;
    const row = world.db.prepare('SELECT seq, hash FROM calls WHERE id = ?').get(entry(next).id);
    expect(readHeadFile(world.deps.headFile, world.deps.keys.current!.head)).toEqual({ ...row });
    expect(await world.log.verify()).toMatchObject({ ok: true, open: 1 });
  });

  it('says which ones it could not write', async () => {
    const world = await threaded();
    await untilThreadWrites(world);
    expect(await world.write(1)).toEqual({ refused: [entry(1).id, entry(2).id] });
  });

  it('that cannot start leaves the work to the calling thread', async () => {
    const broken = path.join(tempDir(), 'broken.mjs');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(broken, 'throw new Error("no such thing")');
    const world = await threaded({ script: pathToFileURL(broken) });
    for (let n = 1; n < 40; n += 2) {
      const outcome = await world.write(n);
      if ('error' in outcome) expect(await world.write(n)).toEqual({ refused: [] });
      await new Promise(setImmediate);
    }
    expect(await world.log.list({ limit: 100 })).toHaveLength(40);
    expect(await world.log.verify()).toMatchObject({ ok: true, checked: 40 });
  });

  it('goes when there is nothing to do, and comes again', async () => {
    const world = await threaded({ idleMs: 1 });
    const next = await untilThreadWrites(world);
    const before = world.own.batches;
    for (let n = next; world.own.batches === before; n += 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await world.write(n)).toEqual({ refused: [] });
    }
    expect(await world.log.verify()).toMatchObject({ ok: true });
    expect(world.problems).toEqual([]);
  });

  it('is not started where its code is not bundled', async () => {
    const world = await threaded({ script: pathToFileURL('/nowhere/thread.js') });
    for (let n = 1; n < 20; n += 2) await world.write(n);
    expect(world.own.batches).toBe(10);
  });
});
