import { expect, it } from 'vitest';
import { collectGarbage } from '../testing/collect-garbage.ts';
import { lightWorld } from './testing/light-world.ts';

const WATCHES = 1000;
const HOURS = 24;
const INTERVAL_MS = 7_200_000;
const MAX_GROWTH = 4 * 1024 * 1024;

it('C-135 a thousand watches are polled on time all day, by one timer, and memory stays flat', async () => {
  const lateMs: number[] = [];
  const dueAt = new Map<string, number>();
  const world = await lightWorld(
    `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, interval_sec: 7200, timeout_sec: 86400, max_polls: 500,
       progress: { message: '{poll_count}/{max_polls}' } }`,
    {
      limits: { maxActive: WATCHES },
      unhurried: true,
      call: ({ args }) => {
        const { id } = args as { id: string };
        lateMs.push(world.clock.now() - (dueAt.get(id) ?? Number.NaN));
        dueAt.set(id, world.clock.now() + INTERVAL_MS);
        return { done: false, percent: 12 };
      },
    },
  );
  // Begun over an hour, as a day's work would, several of them in the same second.
  for (let n = 0; n < WATCHES; n += 1) {
    const id = `j${n}`;
    dueAt.set(id, world.clock.now() + INTERVAL_MS);
    world.begin({ id });
    if (n % 5 === 4) world.clock.advance(18_000);
  }
  expect(() => world.begin()).toThrow(expect.objectContaining({ code: 'too_many_watches' }));
  expect(world.clock.pending()).toBe(1);

  const heaps: number[] = [];
  // The last hour is left out: at the end of it every watch has lived its day.
  for (let hour = 2; hour < HOURS; hour += 1) {
    await world.pass(3600);
    // What is left over counts, not what nobody has collected yet.
    collectGarbage();
    heaps.push(process.memoryUsage().heapUsed);
  }
  expect(lateMs.length).toBeGreaterThanOrEqual((WATCHES * (HOURS - 4)) / 2);
  lateMs.sort((a, b) => a - b);
  expect(lateMs[Math.floor(lateMs.length * 0.99)]).toBeLessThan(1000);
  expect(world.watches().activeCount()).toBe(WATCHES);
  expect(world.clock.pending()).toBe(1);
  // The first hours warm everything up; from then on an hour leaves nothing behind.
  const [early, late] = [Math.min(...heaps.slice(2, 8)), Math.min(...heaps.slice(-6))];
  expect(late - early).toBeLessThan(MAX_GROWTH);
  expect(world.logLines).toEqual([]);
});
