import { describe, expect, it } from 'vitest';
import { TOKEN, watchWorld } from './testing/watch-world.ts';

const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, fail_path: error,
  interval_sec: 60, timeout_sec: 900, max_polls: 15,
  on_done: { mode: chat, message: 'Done — build {poll.build} for {args.name}, {poll_count}/{max_polls}.' },
  on_fail: { mode: chat, message: 'Not confirmed — check {result.id} manually.' },
  progress: { show: true, message: 'Working… {poll_count}/{max_polls}' } }`;

describe('a tool with an async block', () => {
  it('C-123 C-125 C-134 returns at once, is polled, and reports once when it is done', async () => {
    const world = await watchWorld(BLOCK);
    const { service, pass, start, watch } = world;
    service.answer = (_id, poll) => (poll === 3 ? { done: true, build: 7 } : { done: false });
    const session_id = world.newSession();
    const started = await start({ name: 'lamp' }, { session_id });
    expect(started).toMatchObject({ ok: true, result: { id: 'j1' }, watch_id: expect.stringMatching(/^wch_/) });
    expect(service.polls.size).toBe(0);
    await pass(59);
    expect(service.polls.size).toBe(0);
    await pass(61);
    expect(await watch(started.watch_id)).toMatchObject({
      state: 'polling',
      progress: 'Working… 2/15',
      poll_args: { id: 'j1' },
      next_poll_at: '2026-01-01T00:03:00.000Z',
      polls: [{ outcome: 'going', result: '{"done":false}' }, { outcome: 'going' }],
      reports: [],
    });
    await pass(3600);
    const ended = await watch(started.watch_id);
    expect(ended).toMatchObject({ state: 'done', next_poll_at: null, poll_count: 3, reason: { code: 'done' } });
    expect(ended.reports).toMatchObject([{ kind: 'done', session_id, text: 'Done — build 7 for lamp, 3/15.' }]);
    expect(service.polls.get('j1')).toBe(3);
    const { body } = await world.forge.request('GET', `/api/watches/reports?session=${session_id}`);
    expect(body.reports).toHaveLength(1);
  });

  it('C-127 a truthy fail_path ends it as failed', async () => {
    const { service, pass, start, watch } = await watchWorld(BLOCK);
    service.answer = () => ({ done: true, error: 'disk full' });
    const { watch_id } = await start();
    await pass(60);
    expect(await watch(watch_id)).toMatchObject({
      state: 'failed',
      reason: { code: 'failed' },
      reports: [{ kind: 'failed', text: 'Not confirmed — check j1 manually.' }],
    });
  });

  it('C-126 done_match compares with what the start call returned', async () => {
    const { service, pass, start, watch } = await watchWorld(
      `{ poll: look, poll_args: { id: '{result.id}' }, done_match: { path: info.build, equals: '{result.target.build}' } }`,
    );
    service.answer = (_id, poll) => ({ info: { build: poll === 2 ? '42' : '41' } });
    const { watch_id } = await start();
    await pass(60);
    expect(await watch(watch_id)).toMatchObject({ state: 'polling', progress: null });
    await pass(60);
    expect(await watch(watch_id)).toMatchObject({ state: 'done', reports: [{ text: 'Jobs: start is done.' }] });
  });

  it('C-126 tells at once that there is nothing to compare with', async () => {
    const { service, start, watch } = await watchWorld(
      `{ poll: look, done_match: { path: a, equals: 'v{result.missing}' }, on_fail: { message: Look yourself. } }`,
    );
    const { ok, watch_id } = await start();
    expect(ok).toBe(true);
    expect(await watch(watch_id)).toMatchObject({
      state: 'failed',
      reason: { code: 'nothing_to_compare' },
      reports: [{ text: 'Look yourself.' }],
    });
    expect(service.polls.size).toBe(0);
  });

  it('C-131 with mode none nobody is told', async () => {
    const { service, pass, start, watch } = await watchWorld(
      `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, on_done: { mode: none } }`,
    );
    service.answer = () => ({ done: true });
    const { watch_id } = await start();
    await pass(60);
    expect(await watch(watch_id)).toMatchObject({ state: 'done', reports: [] });
  });

  it('leaves no watch behind when it fails, and none in a dry run', async () => {
    const { forge, service, start } = await watchWorld(BLOCK);
    expect((await start({}, { dry_run: true })).watch_id).toBeUndefined();
    await service.stop();
    expect(await start()).toMatchObject({ ok: false });
    expect((await forge.request('GET', '/api/watches')).body.watches).toEqual([]);
  });

  it('C-136 goes on after a restart, and what fell due meanwhile is polled once', async () => {
    const world = await watchWorld(BLOCK);
    const { service, clock, pass } = world;
    const { watch_id } = await world.start();
    await pass(60);
    await world.restart();
    expect(service.polls.get('j1')).toBe(1);
    clock.advance(200_000);
    await pass(0);
    expect(service.polls.get('j1')).toBe(2);
    service.answer = () => ({ done: true });
    await pass(60);
    expect(await world.watch(watch_id)).toMatchObject({ state: 'done', poll_count: 3, reports: [{ kind: 'done' }] });
  });

  it('a job that ended while Forge was off past the deadline is still found to have ended', async () => {
    const world = await watchWorld(BLOCK);
    const { watch_id } = await world.start();
    await world.forge.close();
    world.service.answer = () => ({ done: true });
    world.clock.advance(5_000_000);
    await world.restart();
    await world.pass(0);
    expect(await world.watch(watch_id)).toMatchObject({ state: 'done' });
  });
});

describe('what a person can do', () => {
  it('C-137 lists and cancels; a cancelled watch polls no more and reports nothing', async () => {
    const { forge, service, pass, start, watch, newSession } = await watchWorld(BLOCK);
    const session_id = newSession();
    const { watch_id } = await start({}, { session_id });
    await start();
    await pass(60);
    const all = (await forge.request('GET', '/api/watches')).body.watches;
    expect(all).toHaveLength(2);
    expect((await forge.request('GET', `/api/watches?session=${session_id}`)).body.watches).toMatchObject([
      { id: watch_id },
    ]);
    expect((await forge.request('GET', '/api/health')).body.watches).toBe(2);
    expect((await forge.request('DELETE', `/api/watches/${watch_id}`)).body).toMatchObject({ state: 'cancelled' });
    await pass(120);
    expect(service.polls.get('j1')).toBe(1);
    expect(await watch(watch_id)).toMatchObject({ state: 'cancelled', reports: [], reason: { code: 'cancelled' } });
    expect((await forge.request('GET', '/api/watches?active=true')).body.watches).toHaveLength(1);
    expect((await forge.request('DELETE', `/api/watches/${watch_id}`)).status).toBe(409);
    expect((await forge.request('DELETE', '/api/watches/wch_0')).status).toBe(404);
  });

  it('C-137 cancels in the middle of a poll', async () => {
    const { forge, service, clock, start, watch } = await watchWorld(BLOCK);
    const { watch_id } = await start();
    let letGo: (answer: unknown) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      service.answer = () => {
        resolve();
        return new Promise((answer) => (letGo = answer));
      };
    });
    clock.advance(60_000);
    await asked;
    expect((await forge.request('DELETE', `/api/watches/${watch_id}`)).body.state).toBe('cancelled');
    await forge.services.watches.settled();
    letGo({ done: true });
    expect(await watch(watch_id)).toMatchObject({ state: 'cancelled', polls: [], reports: [] });
  });

  it('begins a failed watch again, with fresh guards and one more report', async () => {
    const { forge, service, pass, start, watch } = await watchWorld(BLOCK);
    const { watch_id } = await start();
    await pass(900);
    expect(await watch(watch_id)).toMatchObject({ state: 'failed', reason: { code: 'max_polls' } });
    const retried = await forge.request('POST', `/api/watches/${watch_id}/retry`);
    expect(retried.body).toMatchObject({ state: 'polling', run: 2, poll_count: 0 });
    expect((await forge.request('POST', `/api/watches/${watch_id}/retry`)).status).toBe(409);
    service.answer = () => ({ done: true, build: 9 });
    await pass(1);
    expect(await watch(watch_id)).toMatchObject({ state: 'done', reports: [{ kind: 'failed' }, { kind: 'done' }] });
    expect((await forge.request('POST', `/api/watches/${watch_id}/retry`)).status).toBe(409);
  });
});

describe('secrets', () => {
  it('C-138 K-16 no secret and no unused argument gets into a row, and polls rely on the saved credential', async () => {
    const { forge, service, pass, start, watch } = await watchWorld(
      `{ poll: look, poll_args: { id: '{result.id}', password: '{args.password}' }, done_path: done,
         on_done: { message: 'Done with {poll.note} for {args.name} of {settings.team}.' } }`,
    );
    service.answer = () => ({ done: true, note: `token ${TOKEN}` });
    const { watch_id } = await start({ name: TOKEN, password: TOKEN });
    await pass(60);
    expect(service.seen.at(-1)).toMatchObject({ line: 'GET /jobs/j1', headers: { authorization: `Bearer ${TOKEN}` } });
    const shown = await watch(watch_id);
    expect(shown.poll_args).toEqual({ id: 'j1' });
    expect(shown.reports[0].text).toBe('Done with token [secret] for [secret] of blue.');
    const { findCanaries, filesBelow } = await import('../testing/canaries.ts');
    expect(findCanaries(filesBelow(forge.dataDir.root), [TOKEN])).toEqual([]);
  });

  it('K-16 an argument that no template names is not kept', async () => {
    const { forge, start } = await watchWorld(BLOCK);
    const { watch_id } = await start({ name: 'lamp', password: 'typed-in-chat-9' });
    const plan = JSON.stringify(forge.services.watches.get(watch_id).watch);
    expect(plan).toContain('lamp');
    expect(plan).not.toContain('typed-in-chat-9');
  });
});
