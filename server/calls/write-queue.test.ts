import { describe, expect, it } from 'vitest';
import { failingDatabase } from '../store/testing/failing-database.ts';
import { createCallLog } from './call-log.ts';
import { entry, handTimer, world } from './testing/world.ts';
import { createWriteQueue, type QueueProblem } from './write-queue.ts';

/** A queue that writes into a list, as long as the disk has room. */
function queueInto(options: { maxBatch?: number; maxWaiting?: number } = {}) {
  const written: number[][] = [];
  const problems: QueueProblem[] = [];
  const disk = { isFull: false };
  const timer = handTimer();
  const queue = createWriteQueue<number>({
    writer: {
      write: (entries, done) => {
        if (!disk.isFull) written.push([...entries]);
        const refused = entries.filter((n) => n < 0).map(String);
        done(disk.isFull ? { error: new Error('disk full') } : { refused });
      },
      settle: () => undefined,
    },
    flushMs: 50,
    maxBatch: 3,
    onProblem: (problem) => void problems.push(problem),
    schedule: timer.schedule,
    ...options,
  });
  return { queue, written, problems, disk, timer };
}

describe('a write that fails', () => {
  it('keeps what waits, tries again after longer and longer waits, and writes it in order', () => {
    const { queue, written, problems, disk, timer } = queueInto();
    disk.isFull = true;
    for (const n of [1, 2, 3, 4]) queue.add(n);
    const delays: number[] = [];
    for (let attempt = 0; attempt < 13; attempt += 1) {
      delays.push(...timer.delays());
      timer.fire();
    }
    expect(delays).toEqual([0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000]);
    expect(problems).toHaveLength(13);
    expect(problems[0]).toMatchObject({ waiting: 4, dropped: 0, error: { message: 'disk full' } });
    disk.isFull = false;
    queue.add(5);
    timer.fire();
    timer.fire();
    expect(written).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(timer.delays()).toEqual([]);
    queue.add(6);
    expect(timer.delays()).toEqual([50]);
  });

  it('drops the oldest when too many wait, and counts them', () => {
    const { queue, written, problems, disk, timer } = queueInto({ maxBatch: 10, maxWaiting: 4 });
    disk.isFull = true;
    for (const n of [1, 2, 3, 4, 5, 6]) queue.add(n);
    timer.fire();
    expect(problems).toMatchObject([{ waiting: 4, dropped: 2 }]);
    disk.isFull = false;
    timer.fire();
    expect(written).toEqual([[3, 4, 5, 6]]);
  });

  it('says what is lost when the queue is closed for good', () => {
    const { queue, problems, disk, timer } = queueInto();
    disk.isFull = true;
    for (const n of [1, 2]) queue.add(n);
    queue.close();
    expect(problems.at(-1)).toEqual({ message: 'calls that could not be written are lost', waiting: 0, dropped: 2 });
    expect(timer.delays()).toEqual([]);
  });

  it('counts what can never be written, and goes on', () => {
    const { queue, written, problems } = queueInto();
    for (const n of [1, -2, 3, 4]) queue.add(n);
    queue.flush();
    expect(written).toEqual([[1, -2, 3], [4]]);
    expect(problems).toEqual([{ message: 'the log refused these calls: -2', waiting: 1, dropped: 1 }]);
  });
});

it('a full disk neither reaches the caller nor tears the chain', async () => {
  for (let n = 1; n <= 8; n += 1) {
    const { db, deps, problems, log: afterwards } = await world();
    const log = createCallLog({ ...deps, db: failingDatabase(db, n).db });
    log.record(entry(1));
    log.record(entry(2));
    log.flush();
    const expected = n <= 7 ? [{ waiting: 2, error: { code: 'disk_write_failed' } }] : [];
    expect(problems, `statement ${n}`).toMatchObject(expected);
    log.flush();
    expect(await afterwards.verify(), `statement ${n}`).toEqual({ ok: true, checked: 2 });
  }
});
