import { expect, it, onTestFinished } from 'vitest';
import type { Api } from './api.ts';
import { followEvents, soon } from './follow-events.ts';

type Stream = Api['stream'];

/** Only what a follower asks for: a stream that plays its lines, one after the other. */
function playing(...lines: Stream[]): Pick<Api, 'stream'> {
  const left = [...lines];
  return { stream: (...asked) => left.shift()?.(...asked) ?? new Promise(() => undefined) };
}

it('hears events, and reads again after a reset and after the line has broken', async () => {
  const heard: string[] = [];
  await new Promise<void>((resolve) => {
    const api = playing(
      (_path, _body, { onEvent }) => {
        onEvent('call.ended', { type: 'call.ended', call_id: 'c1' });
        onEvent('reset', {});
        return Promise.reject(new TypeError('the line is cut'));
      },
      (_path, _body, { onEvent }) => {
        onEvent('call.ended', { type: 'call.ended', call_id: 'c2' });
        resolve();
        return new Promise(() => undefined);
      },
    );
    const listener = { onEvent: (event: object) => heard.push(JSON.stringify(event)), onGap: () => heard.push('gap') };
    onTestFinished(followEvents(api, listener, 0));
  });
  expect(heard).toEqual(['{"type":"call.ended","call_id":"c1"}', 'gap', 'gap', '{"type":"call.ended","call_id":"c2"}']);
});

it('stops at once when it is told to, and hears nothing more', () => {
  let tell: ((event: string, data: unknown) => void) | undefined;
  let signal: AbortSignal | undefined;
  const heard: unknown[] = [];
  const api = playing((_path, _body, options) => {
    tell = options.onEvent;
    signal = options.signal;
    return new Promise(() => undefined);
  });
  const silence = followEvents(api, { onEvent: (event) => heard.push(event), onGap: () => heard.push('gap') });
  silence();
  tell?.('call.ended', { type: 'call.ended' });
  expect([signal?.aborted, heard]).toEqual([true, []]);
});

it('many reasons at once make one run', async () => {
  let runs = 0;
  await new Promise<void>((resolve) => {
    const look = soon(() => {
      runs += 1;
      resolve();
    }, 0);
    for (let times = 0; times < 5; times += 1) look.ask();
  });
  expect(runs).toBe(1);
});
