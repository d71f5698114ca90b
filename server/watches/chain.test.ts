import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import type { CallRequest } from '../tools/call-tool.ts';
import { lightWorld } from './testing/light-world.ts';
import { watchWorld } from './testing/watch-world.ts';

const POLL = `poll: look, poll_args: { id: '{result.id}' }, done_path: done`;
const then = (tool: string, more = '') =>
  `{ ${POLL}, on_done: { mode: tool, tool: ${tool}, args: { note: '{result.id} has {poll.build}' }${more} } }`;

describe('a tool that the end of a watch runs', () => {
  it('C-131 runs with what the last poll says, and is reported with the message', async () => {
    const { service, pass, start, watch } = await watchWorld(then('log', `, message: 'Noted {poll.build}.'`));
    service.answer = () => ({ done: true, build: 7 });
    const { watch_id } = await start();
    await pass(60);
    expect(service.actions).toEqual(['{"note":"j1 has 7"}']);
    expect(await watch(watch_id)).toMatchObject({
      state: 'done',
      action: { tool_id: 'jobs.log', args: { note: 'j1 has 7' }, status: 'ended' },
      reports: [{ kind: 'done', text: 'Noted 7.' }],
    });
  });

  it('C-131 without a message its success is silent, its failure is not', async () => {
    const { service, pass, start, watch } = await watchWorld(then('log'));
    service.answer = () => ({ done: true, build: 7 });
    const first = await start();
    await pass(60);
    expect(await watch(first.watch_id)).toMatchObject({ state: 'done', reports: [] });
    const failing = await watchWorld(then('look'));
    failing.service.answer = () => ({ done: true });
    const second = await failing.start();
    await failing.pass(60);
    expect(await failing.watch(second.watch_id)).toMatchObject({
      state: 'failed',
      reason: { code: 'invalid_argument' },
      reports: [{ kind: 'failed', text: expect.stringMatching(/^Jobs: start is done\. But jobs\.look failed: /) }],
    });
  });

  it('C-37 a destructive one waits for a person’s yes, who is told once, and then runs once', async () => {
    const world = await watchWorld(then('act', `, message: All done.`));
    const { service, pass, start, watch } = world;
    service.answer = () => ({ done: true, build: 7 });
    const { watch_id } = await start();
    await pass(240);
    const waiting = await watch(watch_id);
    expect(waiting).toMatchObject({ state: 'acting', action: { status: 'waiting' } });
    expect(waiting.reports).toMatchObject([{ kind: 'parked', reason: { code: 'approval_required' } }]);
    expect(service.actions).toEqual([]);
    await world.restart();
    const { approval_id } = waiting.action;
    await world.forge.request('POST', `/api/approvals/${approval_id}`, { decision: 'approve' });
    await pass(300);
    expect(service.actions).toHaveLength(1);
    expect(await watch(watch_id)).toMatchObject({ state: 'done', reports: [{}, { kind: 'done', text: 'All done.' }] });
  });

  it('a no ends it, and nothing runs', async () => {
    const { forge, service, pass, start, watch } = await watchWorld(then('act'));
    service.answer = () => ({ done: true });
    const { watch_id } = await start();
    await pass(60);
    const { approval_id } = (await watch(watch_id)).action;
    await forge.request('POST', `/api/approvals/${approval_id}`, { decision: 'deny' });
    await pass(60);
    expect(await watch(watch_id)).toMatchObject({ state: 'failed', reason: { code: 'approval_denied' } });
    expect(service.actions).toEqual([]);
  });

  it('C-135 K-14 a chain has at most three tools, each with a watch of its own, and then it says so', async () => {
    const world = await watchWorld(`{ ${POLL}, on_done: { mode: tool, tool: start } }`);
    const { forge, service, pass, start } = world;
    service.answer = () => ({ done: true });
    const session_id = world.newSession();
    await start({}, { session_id });
    await pass(3600);
    const { watches } = (await forge.request('GET', '/api/watches')).body;
    expect(watches.map((watch: { depth: number }) => watch.depth)).toEqual([3, 2, 1, 0]);
    expect(watches[0]).toMatchObject({ state: 'failed', reason: { code: 'chain_too_long' }, session_id });
    expect(service.seen.filter(({ line }) => line === 'POST /jobs')).toHaveLength(4);
    const { reports } = (await forge.request('GET', `/api/watches/reports?session=${session_id}`)).body;
    expect(reports).toMatchObject([{ text: expect.stringContaining('jobs.start was not run') }]);
  });

  it('K-14 a chained watch takes the place of the one before it', async () => {
    const { watches, begin } = await lightWorld(`{ ${POLL} }`, { limits: { maxActive: 1 } });
    const id = begin();
    expect(() => begin()).toThrow(expect.objectContaining({ code: 'too_many_watches' }));
    expect(begin({ id: 'j2' }, {}, { parentId: id, depth: 1 })).toMatch(/^wch_/);
    expect(watches().activeCount()).toBe(2);
  });

  it('is not stopped half-way by a cancel; when Forge stops and it takes too long, what it did is unknown', async () => {
    const world = await lightWorld(then('log'), {
      call: ({ toolId, signal }) => (toolId.endsWith('.log') ? untilAborted(signal) : { done: true }),
    });
    const id = world.begin();
    world.clock.advance(60_000);
    await untilRunning(world, id);
    expect(() => world.watches().cancel(id)).toThrow(expect.objectContaining({ code: 'conflict' }));
    const stopped = world.watches().stop();
    world.clock.advance(6999);
    expect(world.watches().get(id).watch.state).toBe('acting');
    world.clock.advance(1);
    await stopped;
    expect(world.watches().get(id).watch).toMatchObject({ state: 'failed', reason: { code: 'unknown' } });
  });
});

function untilAborted(signal: CallRequest['signal']): Promise<ForgeError> {
  return new Promise((resolve) =>
    signal?.addEventListener('abort', () => resolve(new ForgeError('cancelled', 'it was stopped'))),
  );
}

type Light = Awaited<ReturnType<typeof lightWorld>>;

async function untilRunning({ watches, clock }: Light, id: string): Promise<void> {
  while (watches().get(id).watch.action?.status !== 'running') {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0);
  }
}

describe('a chained tool whose end nobody has seen', () => {
  /** The row as a process leaves it that was killed while the tool ran. */
  async function killed(change: (world: Light, id: string) => void = () => undefined, isReadOnly = false) {
    const world = await lightWorld(then('log', `, message: 'Noted.'`), {
      isReadOnly,
      call: ({ toolId }) => (toolId.endsWith('.log') ? { ok: true } : { done: true, build: 1 }),
    });
    const id = world.begin();
    world.clock.advance(60_000);
    await world.watches().settled();
    await world.watches().stop();
    world.db.exec(`UPDATE watches SET action = json_set(action, '$.status', 'running'), next_at = NULL`);
    change(world, id);
    const before = world.calls;
    await world.restart();
    await world.pass(60);
    return { ...world.watches().get(id), runsAgain: world.calls - before };
  }

  it('C-131 is not run again: the report says that it is unknown', async () => {
    const { watch, reports, runsAgain } = await killed();
    expect([watch.state, watch.reason?.code, runsAgain]).toEqual(['failed', 'unknown', 0]);
    expect(reports.map(({ text }) => text)).toEqual([
      'Noted. But Forge stopped while jobs.log ran, so whether it has taken effect is unknown, check.',
    ]);
  });

  it('has run if it has left a watch behind', async () => {
    const { watch, reports, runsAgain } = await killed((world, id) => {
      world.begin({ id: 'j2' }, {}, { parentId: id, depth: 1 });
    });
    expect([watch.state, reports.map(({ text }) => text)]).toEqual(['done', ['Noted.']]);
    expect(runsAgain).toBeGreaterThan(0);
  });

  it('is run again if it only reads', async () => {
    const { watch, reports, runsAgain } = await killed(undefined, true);
    expect([watch.state, reports.map(({ text }) => text), runsAgain]).toEqual(['done', ['Noted.'], 1]);
  });
});

it('an error of the chained tool is reported as it is', async () => {
  const world = await lightWorld(then('log'), {
    call: ({ toolId }) =>
      toolId.endsWith('.log') ? new ForgeError('upstream_timeout', 'no answer came') : { done: true },
  });
  const id = world.begin();
  await world.pass(60);
  expect(
    world
      .watches()
      .get(id)
      .reports.map(({ text }) => text),
  ).toEqual(['Jobs: start is done. But jobs.log failed: no answer came.']);
});
