import { expect, it, onTestFinished } from 'vitest';
import type { Api } from './api.ts';
import { followEvents, soon } from './follow-events.ts';

type Stream = Api['stream'];

/** Only what a follower asks for: a stream that plays its lines, one after the other. */
function playing(...lines: Stream[]): Pick<Api, 'stream'> {
  const left = [...lines];
  return { stream: (...asked) => left.shift()?.(...asked) ?? new Promise(() => undefined) };
}

const ended = (call_id: string) => ['call.ended', { type: 'call.ended', call_id }] as const;

it('hears events, and reads again after a reset and when a broken line is open again', async () => {
  const heard: string[] = [];
  await new Promise<void>((resolve) => {
    const api = playing(
      (_path, _body, { onEvent }) => {
        onEvent('hello', {});
        onEvent(...ended('c1'));
        onEvent('reset', {});
        return Promise.reject(new TypeError('the line is cut'));
      },
      () => {
        heard.push('away');
        return Promise.reject(new TypeError('nobody answers'));
      },
      (_path, _body, { onEvent }) => {
        onEvent('hello', {});
        onEvent(...ended('c2'));
        resolve();
        return new Promise(() => undefined);
      },
    );
    const onEvent = (event: object) => heard.push((event as { call_id: string }).call_id);
    onTestFinished(followEvents(api, { onEvent, onGap: () => heard.push('gap') }, 0));
  });
  expect(heard).toEqual(['gap', 'c1', 'gap', 'away', 'gap', 'gap', 'c2']);
});

it('misses nothing that happens between the first reading and the opening of the line', () => {
  let state = 'polling';
  let shown = state;
  const api = playing((_path, _body, { onEvent }) => {
    // Its event went to those who listened then, which was nobody.
    state = 'done';
    onEvent('hello', {});
    return new Promise(() => undefined);
  });
  onTestFinished(followEvents(api, { onEvent: () => undefined, onGap: () => (shown = state) }));
  expect(shown).toBe('done');
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

it('opens one line for all that listen, and reads again for whoever comes later', () => {
  let opened = 0;
  let tell: ((event: string, data: unknown) => void) | undefined;
  let signal: AbortSignal | undefined;
  const api: Pick<Api, 'stream'> = {
    stream: (_path, _body, options) => {
      opened += 1;
      ({ onEvent: tell, signal } = options);
      return new Promise(() => undefined);
    },
  };
  const heard: string[] = [];
  const follow = (name: string) =>
    followEvents(api, { onEvent: () => heard.push(name), onGap: () => heard.push(`${name} reads`) });
  const silenceFirst = follow('first');
  tell?.('hello', {});
  const silenceSecond = follow('second');
  tell?.(...ended('c1'));
  silenceFirst();
  tell?.(...ended('c2'));
  expect([opened, signal?.aborted, heard]).toEqual([
    1,
    false,
    ['first reads', 'second reads', 'first', 'second', 'second'],
  ]);
  silenceSecond();
  expect(signal?.aborted).toBe(true);
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
