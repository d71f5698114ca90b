import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { closeServer } from './close-server.ts';

/** A server whose requests end when the test says so, and a clock that it turns. */
function world() {
  const events: string[] = [];
  const timers = new Map<() => void, number>();
  let now = 0;
  let end: () => void = () => undefined;
  const server = {
    close: (done?: () => void) => {
      events.push('close');
      end = () => done?.();
    },
    closeIdleConnections: () => void events.push('idle'),
    closeAllConnections: () => {
      events.push(`cut at ${now}`);
      end();
    },
  };
  const app = {
    server,
    stopWork: (reason: unknown) => void events.push(`stop at ${now}: ${(reason as { code: string }).code}`),
    closeUnused: () => void events.push('unused'),
  };
  const after = (ms: number, run: () => void) => {
    timers.set(run, now + ms);
    return () => void timers.delete(run);
  };
  const turn = (to: number): void => {
    now = to;
    for (const [run, at] of [...timers]) {
      if (at > to) continue;
      timers.delete(run);
      run();
    }
  };
  // Of a server these three are all that stopping needs.
  const closing = closeServer(
    app as unknown as Parameters<typeof closeServer>[0],
    { close: () => Promise.resolve() },
    { after },
  );
  return { events, timers, turn, end: () => end(), closing };
}

it('stops what is under way after seven seconds and cuts it off after ten', async () => {
  const { events, timers, turn, closing } = world();
  turn(6999);
  expect(events).toEqual(['close', 'idle', 'unused', 'idle']);
  for (const ms of [7000, 9999, 10_000]) turn(ms);
  await closing;
  expect(events.slice(4).filter((event) => event !== 'idle')).toEqual(['stop at 7000: shutting_down', 'cut at 10000']);
  expect(timers.size).toBe(0);
});

it('stops and cuts nothing when all requests have ended before', async () => {
  const { events, timers, end, closing } = world();
  end();
  await closing;
  expect([events, timers.size]).toEqual([['close', 'idle', 'unused'], 0]);
});

it('does not wait for a connection whose client has read its answer before the server has ended it', async () => {
  let finish: () => void = () => undefined;
  const server = createServer((_request, response) => {
    response.setHeader('Content-Length', '4').write('text');
    finish = () => void response.end();
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const read = await new Promise<string>((resolve) => {
    get({ port, agent }, (response) => response.on('data', (text) => resolve(String(text))));
  });
  const cuts: string[] = [];
  const stopping = {
    server,
    stopWork: () => void cuts.push('stopped'),
    closeUnused: () => undefined,
  };
  const closing = closeServer(stopping, { close: () => Promise.resolve() });
  finish();
  await closing;
  expect([read, cuts]).toEqual(['text', []]);
});
