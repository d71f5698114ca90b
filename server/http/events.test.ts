import { describe, expect, it, onTestFinished } from 'vitest';
import { watchWorld, type WatchWorld } from '../watches/testing/watch-world.ts';

const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, progress: { message: 'At {poll_count}.' } }`;

/** Reads a stream of events as it comes. */
async function listen({ forge }: WatchWorld, query = '', headers: Record<string, string> = {}) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${forge.url}/api/events${query}`, {
    headers: { 'X-Forge-Token': forge.token, ...headers },
    signal: stop.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    response,
    stop: () => stop.abort(),
    /** Resolves with the events so far, once this is among what was read. */
    until: async (part: string): Promise<string[]> => {
      while (!text.includes(part)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended after ${text}`);
        text += value;
      }
      return [...text.matchAll(/^(?:id: (\d+)\n)?event: (\S+)$/gm)].map(([, id = '-', type]) => `${id} ${type}`);
    },
    ended: async () => {
      for (;;) if ((await reader.read()).done) return;
    },
  };
}

describe('GET /api/events', () => {
  it('C-133 tells what happens as it happens; progress is an event and no report', async () => {
    const world = await watchWorld(BLOCK);
    const stream = await listen(world);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const { watch_id } = await world.start();
    await world.pass(60);
    expect(await stream.until('watch.progress')).toEqual([
      '- hello',
      '1 watch.started',
      '- call.ended',
      '- call.ended',
      '2 watch.progress',
    ]);
    expect(await stream.until('"text":"At 1."')).toBeDefined();
    expect((await world.watch(watch_id)).reports).toEqual([]);
  });

  it('brings what was missed, also over a restart', async () => {
    const world = await watchWorld(BLOCK);
    await world.start();
    await world.pass(60);
    await world.restart();
    world.service.answer = () => ({ done: true });
    await world.pass(60);
    const stream = await listen(world, '', { 'Last-Event-ID': '1' });
    expect(await stream.until('watch.ended')).toEqual([
      '- hello',
      '2 watch.progress',
      '3 report.added',
      '4 watch.ended',
    ]);
  });

  it('can be read once, without listening', async () => {
    const world = await watchWorld(BLOCK);
    await world.start();
    const { text } = await world.forge.request('GET', '/api/events?after=0&follow=false');
    expect(text).toMatch(/^: hello\n\nid: 1\nevent: watch\.started\ndata: \{.*\}\n\n$/);
  });

  it('says when what was missed is gone', async () => {
    const stream = await listen(await watchWorld(BLOCK), '?after=999');
    expect(await stream.until('event: reset')).toEqual(['- hello', '- reset']);
  });

  it('can be limited to a conversation', async () => {
    const world = await watchWorld(BLOCK);
    const [other, session_id] = [world.newSession(), world.newSession()];
    const stream = await listen(world, `?session=${session_id}`);
    await world.start({}, { session_id: other });
    const { watch_id } = await world.start({}, { session_id });
    const types = await stream.until('watch.started');
    expect(types.filter((type) => type.endsWith('watch.started'))).toHaveLength(1);
    expect(await stream.until(watch_id)).toBeDefined();
  });

  it('needs the token, and takes a limited number of listeners', async () => {
    const world = await watchWorld(BLOCK);
    expect((await fetch(`${world.forge.url}/api/events`)).status).toBe(401);
    const streams = await Promise.all(Array.from({ length: 64 }, () => listen(world)));
    expect((await world.forge.request('GET', '/api/events')).status).toBe(429);
    streams[0]?.stop();
    for (;;) {
      const { response, stop } = await listen(world);
      stop();
      if (response.status === 200) break;
    }
  });

  it('ends when Forge stops', async () => {
    const world = await watchWorld(BLOCK);
    const stream = await listen(world);
    await Promise.all([stream.ended(), world.forge.close()]);
    expect(world.forge.services.streams.size).toBe(0);
  });
});
