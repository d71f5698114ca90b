import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { signalOf, type UnderWay } from './dispatch.ts';

/** As much of a response as a signal looks at. */
function response(state: { destroyed: boolean; writableFinished: boolean }) {
  const emitter = Object.assign(new EventEmitter(), state);
  return { emitter, res: emitter as unknown as ServerResponse };
}

it.each([
  ['gone before anybody asked', { destroyed: true, writableFinished: false }, true],
  ['gone', { destroyed: false, writableFinished: false }, true],
  ['answered', { destroyed: false, writableFinished: true }, false],
])('work for a client that is %s', (_title, state, isStopped) => {
  const { emitter, res } = response(state);
  const underWay: UnderWay = new Set();
  const signal = signalOf(res, underWay);
  if (!state.destroyed) {
    expect([signal.aborted, underWay.size]).toEqual([false, 1]);
    emitter.emit('close');
  }
  expect([signal.aborted, underWay.size]).toEqual([isStopped, 0]);
});
