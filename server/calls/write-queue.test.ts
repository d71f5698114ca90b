import { describe, expect, it } from 'vitest';
import { failingDatabase } from '../store/testing/failing-database.ts';
import { createCallLog } from './call-log.ts';
import { entry, handTimer, testKeys, world } from './testing/world.ts';
import { WriteQueue, type QueueProblem } from './write-queue.ts';

/** A queue that writes into a list, as long as the disk has room. */
function queueInto(options: { maxBatch?: number; maxWaiting?: number } = {}) {
  const written: number[][] = [];
  const durable: boolean[] = [];
  const problems: QueueProblem[] = [];
  const disk = { isFull: false };
  const timer = handTimer();
  const queue = new WriteQueue<number>({
    writer: {
      write: (entries, isDurable, done) => {
        durable.push(isDurable);
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
  return { queue, written, durable, problems, disk, timer };
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

describe('an entry that somebody waits for', () => {
  it('S6 goes out at once, with all that waits, as one durable batch', async () => {
    const { queue, written, durable, timer } = queueInto({ maxBatch: 10 });
    queue.add(1);
    const [first, second] = [queue.addDurably(2), queue.addDurably(3)];
    queue.add(4);
    expect(timer.delays()).toEqual([0]);
    timer.fire();
    await Promise.all([first, second]);
    expect([written, durable]).toEqual([[[1, 2, 3, 4]], [true]]);
  });

  it('S6 shares one wait for the disk with all that came while the batch before was written', async () => {
    const written: number[][] = [];
    let finish: (() => void) | null = null;
    const timer = handTimer();
    const queue = new WriteQueue<number>({
      ...{ flushMs: 50, maxBatch: 100, schedule: timer.schedule },
      writer: {
        write: (entries, _, done) => {
          written.push([...entries]);
          finish = () => done({ refused: [] });
        },
        settle: () => undefined,
      },
    });
    const all = Array.from({ length: 32 }, (_, n) => n);
    const first = queue.addDurably(-1);
    timer.fire();
    const rest = all.map((n) => queue.addDurably(n));
    finish!();
    timer.fire();
    finish!();
    await Promise.all([first, ...rest]);
    expect(written).toEqual([[-1], all]);
  });

  it('S15 is told no when the disk is full, is forgotten, and leaves the others waiting', async () => {
    const { queue, written, disk, timer } = queueInto({ maxBatch: 10 });
    disk.isFull = true;
    queue.add(1);
    const refused = queue.addDurably(2);
    timer.fire();
    await expect(refused).rejects.toThrow('disk full');
    disk.isFull = false;
    timer.fire();
    expect(written).toEqual([[1]]);
  });

  it('is tried at once although writing has just failed', () => {
    const { queue, disk, timer } = queueInto({ maxBatch: 10 });
    disk.isFull = true;
    queue.add(1);
    timer.fire();
    expect(timer.delays()).toEqual([100]);
    void queue.addDurably(2).catch(() => undefined);
    expect(timer.delays()).toEqual([0]);
  });

  it.each([
    ['closed', (queue: ReturnType<typeof queueInto>['queue']) => queue.close()],
    ['too full', (queue: ReturnType<typeof queueInto>['queue']) => [3, 4, 5, 6].forEach((n) => queue.add(n))],
  ])('is told no when the queue is %s', async (_, act) => {
    const { queue, disk } = queueInto({ maxBatch: 10, maxWaiting: 4 });
    disk.isFull = true;
    const refused = queue.addDurably(1);
    act(queue);
    await expect(refused).rejects.toThrow();
  });

  it('a batch is durable now and then in any case', () => {
    const clock = { now: 0 };
    const durable: boolean[] = [];
    const timer = handTimer();
    const queue = new WriteQueue<number>({
      ...{ flushMs: 50, maxBatch: 100, schedule: timer.schedule, monotonic: () => clock.now },
      writer: {
        write: (_, isDurable, done) => {
          durable.push(isDurable);
          done({ refused: [] });
        },
        settle: () => undefined,
      },
    });
    for (const now of [0, 9999, 10_000, 10_001, 20_000]) {
      clock.now = now;
      queue.add(now);
      timer.fire();
    }
    expect(durable).toEqual([false, false, true, false, true]);
  });
});

it('a full disk neither reaches the caller nor tears the chain', async () => {
  let failures = 0;
  for (let n = 1; ; n += 1) {
    const { db, deps, problems, log: afterwards } = await world();
    const failing = failingDatabase(db, Infinity);
    const log = createCallLog({ ...deps, db: failing.db, keys: testKeys(false) });
    // What a start does is not what is tried here.
    failing.failAt(failing.count() + n);
    log.record(entry(1));
    log.record(entry(2));
    log.flush();
    const isOver = problems.length === 0;
    if (!isOver)
      expect(problems, `statement ${n}`).toMatchObject([{ waiting: 2, error: { code: 'disk_write_failed' } }]);
    log.flush();
    expect(await afterwards.verify(), `statement ${n}`).toMatchObject({ ok: true, checked: 2 });
    if (isOver) break;
    failures += 1;
  }
  expect(failures).toBeGreaterThan(5);
});
