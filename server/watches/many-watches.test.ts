import { expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import type { CallRequest } from '../tools/call-tool.ts';
import { collectGarbage } from '../testing/collect-garbage.ts';
import { lightWorld } from './testing/light-world.ts';
import { IS_THOROUGH } from '../../shared/testing/rounds.ts';

/** Fifty times as many as Forge allows, in a thorough run. */
const WATCHES = IS_THOROUGH ? 1000 : 250;
/** Long enough that polls which waited for each other would soon be hours late. */
const POLL_MS = 2000;
const MAX_GROWTH = 4 * 1024 * 1024;

interface Plan {
  intervalSec: number;
  /** The time over which they are begun, several of them in the same moment. */
  beginSec: number;
}

/** Many watches whose polls take a while, and how late each of these began. */
async function manyWatches({ intervalSec, beginSec }: Plan) {
  const lateMs: number[] = [];
  const unexpected: string[] = [];
  const dueAt = new Map<string, number>();
  const world = await lightWorld(
    `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, interval_sec: ${intervalSec}, timeout_sec: 86400, max_polls: 500,
       progress: { message: '{poll_count}/{max_polls}' } }`,
    {
      limits: { maxActive: WATCHES },
      unhurried: true,
      call: ({ args, signal }) => {
        const { id } = args as { id: string };
        const due = dueAt.get(id);
        if (due === undefined) unexpected.push(id);
        else {
          lateMs.push(world.clock.now() - due);
          dueAt.set(id, due + intervalSec * 1000);
        }
        return inAWhile(signal);
      },
    },
  );
  const inAWhile = (signal: CallRequest['signal']) =>
    new Promise<JsonValue>((resolve) => {
      const answer = (): void => resolve({ done: false, percent: 12 });
      world.clock.after(POLL_MS, answer);
      signal?.addEventListener('abort', answer);
    });
  /** Polls are not waited for: what is due while others are under way has to begin all the same. */
  const run = async (sec: number): Promise<void> => {
    const { clock } = world;
    const end = clock.now() + sec * 1000;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = Math.max(clock.now(), clock.nextAt());
      clock.advance(Math.min(next, end) - clock.now());
      if (next > end) return;
    }
  };
  for (let n = 0; n < WATCHES; n += 1) {
    const id = `j${n}`;
    dueAt.set(id, world.clock.now() + intervalSec * 1000);
    world.begin({ id });
    if (n % 5 === 4) await run((beginSec * 5) / WATCHES);
  }
  expect(() => world.begin()).toThrow(expect.objectContaining({ code: 'too_many_watches' }));
  const lateness = (): number => {
    expect(unexpected).toEqual([]);
    lateMs.sort((a, b) => a - b);
    return lateMs[Math.floor(lateMs.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  };
  return { world, run, lateness, polls: () => lateMs.length };
}

/** Processor time since an earlier reading, as a part of the time that has passed for the watches. */
function coresSince(before: NodeJS.CpuUsage, sec: number): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / sec;
}

it('C-135 many watches are polled on time all day, by one timer, and memory stays flat', async () => {
  const hours = 24;
  const { world, run, lateness, polls } = await manyWatches({ intervalSec: 7200, beginSec: 3600 });
  expect(world.clock.pending()).toBe(1);
  const before = process.cpuUsage();
  const heaps: number[] = [];
  // The last hour is left out: at the end of it every watch has lived its day.
  for (let hour = 2; hour < hours; hour += 1) {
    await run(3600);
    // What is left over counts, not what nobody has collected yet.
    collectGarbage();
    heaps.push(process.memoryUsage().heapUsed);
  }
  expect(coresSince(before, (hours - 2) * 3600)).toBeLessThan(1);
  expect(polls()).toBeGreaterThanOrEqual((WATCHES * (hours - 4)) / 2);
  expect(lateness()).toBeLessThan(1000);
  expect(world.watches().activeCount()).toBe(WATCHES);
  // The first hours warm everything up; from then on an hour leaves nothing behind.
  const [early, late] = [Math.min(...heaps.slice(2, 8)), Math.min(...heaps.slice(-6))];
  expect(late - early).toBeLessThan(MAX_GROWTH);
  expect(world.logLines).toEqual([]);
});

it('C-128 C-135 many watches are polled on time as often as a manifest can ask for', async () => {
  const sec = 1200;
  const { world, run, lateness, polls } = await manyWatches({ intervalSec: 30, beginSec: 25 });
  const before = process.cpuUsage();
  await run(sec);
  expect(coresSince(before, sec)).toBeLessThan(1);
  expect(polls()).toBeGreaterThanOrEqual(WATCHES * (sec / 30 - 1));
  expect(lateness()).toBeLessThan(1000);
  expect(world.watches().activeCount()).toBe(WATCHES);
  expect(world.logLines).toEqual([]);
}, 180_000);
