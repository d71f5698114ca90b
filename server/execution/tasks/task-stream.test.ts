import { describe, expect, it } from 'vitest';
import type { ExecutionEvent } from '../adapter.ts';
import { createTaskStreams, TaskStream } from './task-stream.ts';

const about = { taskId: 't', agentId: 'a', timestamp: '2026-01-01T00:00:00.000Z' };
const text = (piece: string): ExecutionEvent => ({ type: 'execution.text', ...about, data: { text: piece } });

/** Puts a text together as a client does: what it has already is not taken again. */
function readText(events: ReturnType<TaskStream['since']>, had = ''): string {
  return events.reduce((all, { event }) => {
    if (event.type !== 'execution.text') return all;
    const { text: piece, offset = 0 } = event.data;
    return piece.length + offset <= all.length ? all : all + piece.slice(all.length - offset);
  }, had);
}

describe('E-19 a task’s stream', () => {
  it('keeps long answers whole, wherever somebody comes back', () => {
    const stream = new TaskStream();
    const pieces = Array.from({ length: 5000 }, (_, index) => `${index} `);
    for (const piece of pieces) stream.append(text(piece));
    const whole = pieces.join('');
    expect(stream.since(0).length).toBe(2000);
    expect(readText(stream.since(0))).toBe(whole);
    expect(readText(stream.since(3000), pieces.slice(0, 3000).join(''))).toBe(whole);
    expect(stream.since(5000)).toEqual([]);
  });

  it('tells listeners until they leave or it ends', () => {
    const stream = new TaskStream();
    const heard: number[] = [];
    let ends = 0;
    const leave = stream.listen(
      ({ id }) => heard.push(id),
      () => (ends += 1),
    );
    stream.append(text('a'));
    leave();
    stream.append(text('b'));
    stream.listen(
      ({ id }) => heard.push(id),
      () => (ends += 1),
    );
    stream.end();
    stream.append(text('c'));
    expect([heard, ends, stream.since(0).length]).toEqual([[1], 1, 2]);
  });

  it('forgets the oldest of those that ended, never one that runs', () => {
    const streams = createTaskStreams();
    streams.open('running');
    for (let index = 0; index < 300; index += 1) streams.open(`t${index}`).end();
    streams.open('last');
    expect([streams.get('running') === null, streams.get('t0'), streams.get('t299') === null]).toEqual([
      false,
      null,
      false,
    ]);
  });
});
