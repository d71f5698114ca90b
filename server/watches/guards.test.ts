import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import type { AsyncBlock } from '../../shared/manifest/schema/tool.ts';
import { WATCH_LIMITS } from '../../shared/manifest/watch-limits.ts';
import { guardsOf } from './guards.ts';
import { lightWorld } from './testing/light-world.ts';

describe('guards', () => {
  const day = 86_400_000;
  const table: [string, Partial<AsyncBlock>, object][] = [
    ['K-14 defaults', {}, { intervalMs: 60_000, timeoutMs: 3_600_000, maxPolls: 60, lifetimeMs: day }],
    ['C-128 an interval under 30 s', { interval_sec: 0.001 }, { intervalMs: 30_000 }],
    ['C-128 an interval as written', { interval_sec: 45 }, { intervalMs: 45_000 }],
    ['C-129 a timeout as written', { timeout_sec: 900 }, { timeoutMs: 900_000 }],
    ['C-135 a timeout without an end', { timeout_sec: Number.MAX_VALUE }, { timeoutMs: day }],
    ['C-130 polls as written', { max_polls: 15 }, { maxPolls: 15 }],
    ['C-135 polls without an end', { max_polls: Number.MAX_SAFE_INTEGER }, { maxPolls: 500 }],
  ];
  it.each(table)('%s', (_title, block, wanted) => {
    expect(guardsOf({ poll: 'p', ...block }, WATCH_LIMITS)).toMatchObject(wanted);
  });
});

const REST = `poll: look, poll_args: { id: '{result.id}' }, done_path: done, on_fail: { message: 'Stopped at {poll_count}.' }`;

describe('a watch that would not end by itself', () => {
  const reasonOf = (world: Awaited<ReturnType<typeof lightWorld>>, id: string) => {
    const { watch, reports } = world.watches().get(id);
    return { state: watch.state, code: watch.reason?.code, texts: reports.map(({ text }) => text) };
  };

  it('C-130 stops after max_polls', async () => {
    const world = await lightWorld(`{ ${REST}, interval_sec: 30, max_polls: 4 }`);
    const id = world.begin();
    await world.pass(86_400);
    expect(reasonOf(world, id)).toEqual({ state: 'failed', code: 'max_polls', texts: ['Stopped at 4.'] });
    expect(world.calls).toBe(4);
  });

  it('C-135 stops after 500 polls whatever the manifest says', async () => {
    const world = await lightWorld(`{ ${REST}, interval_sec: 1, timeout_sec: 9999999, max_polls: 9999999 }`, {
      unhurried: true,
    });
    const id = world.begin();
    await world.pass(500 * 30 - 1);
    expect(reasonOf(world, id)).toMatchObject({ state: 'polling' });
    await world.pass(86_400);
    expect(reasonOf(world, id)).toMatchObject({ state: 'failed', code: 'max_polls' });
    expect(world.calls).toBe(500);
  });

  it('C-129 stops at timeout_sec, after one last look', async () => {
    const world = await lightWorld(`{ ${REST}, interval_sec: 60, timeout_sec: 150 }`);
    const id = world.begin();
    await world.pass(149);
    expect(world.calls).toBe(2);
    await world.pass(1);
    expect(reasonOf(world, id)).toEqual({ state: 'failed', code: 'timeout', texts: ['Stopped at 3.'] });
    await world.pass(86_400);
    expect(world.calls).toBe(3);
  });

  it('C-129 a job that is done at the last look is done', async () => {
    const world = await lightWorld(`{ ${REST}, interval_sec: 60, timeout_sec: 150 }`, {
      call: () => ({ done: world.calls === 3 }),
    });
    const id = world.begin();
    await world.pass(150);
    expect(reasonOf(world, id)).toMatchObject({ state: 'done' });
  });

  it('C-135 stops at the end of its lifetime, however long its timeout is', async () => {
    const world = await lightWorld(`{ ${REST}, timeout_sec: 86400, max_polls: 500 }`, {
      limits: { maxLifetimeSec: 600 },
    });
    const id = world.begin();
    await world.pass(599);
    expect(reasonOf(world, id)).toMatchObject({ state: 'polling' });
    await world.pass(1);
    expect(reasonOf(world, id)).toMatchObject({ state: 'failed', code: 'lifetime' });
  });

  it('K-14 stops after ten failed polls in a row, and a poll that works counts them afresh', async () => {
    const world = await lightWorld(`{ ${REST} }`, {
      call: () => (world.calls === 10 ? { done: false } : new ForgeError('tool_error', 'it is on fire')),
    });
    const id = world.begin();
    await world.pass(19 * 60);
    expect(reasonOf(world, id)).toMatchObject({ state: 'polling' });
    await world.pass(60);
    expect(reasonOf(world, id)).toEqual({ state: 'failed', code: 'errors', texts: ['Stopped at 20.'] });
    expect(world.watches().get(id).watch.reason?.message).toContain('tool_error: it is on fire');
  });

  it('K-14 no more than twenty are active, and a place is free again when one has ended', async () => {
    const world = await lightWorld(`{ ${REST} }`);
    const ids = Array.from({ length: 20 }, () => world.begin());
    expect(() => world.begin()).toThrow(expect.objectContaining({ code: 'too_many_watches' }));
    world.watches().cancel(ids[0] ?? '');
    world.begin();
    expect(world.watches().activeCount()).toBe(20);
    expect(() => world.watches().retry(ids[0] ?? '')).toThrow(expect.objectContaining({ code: 'too_many_watches' }));
  });
});
