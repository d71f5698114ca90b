import { describe, expect, it } from 'vitest';
import type { ExecutionEvent } from '../adapter.ts';
import { createTaskStreams, TaskStream } from './task-stream.ts';

const about = { taskId: 't', agentId: 'a', timestamp: '2026-01-01T00:00:00.000Z' };
const text = (piece: string): ExecutionEvent => ({ type: 'execution.text', ...about, data: { text: piece } });
const thought = (piece: string): ExecutionEvent => ({ type: 'execution.thinking', ...about, data: { text: piece } });
const output = (id: string, piece: string): ExecutionEvent => ({
  type: 'execution.tool_output',
  ...about,
  data: { id, stream: 'stdout', text: piece },
});

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

  it('keeps long thoughts as few events, whole for whoever comes back', () => {
    const stream = new TaskStream();
    for (let index = 0; index < 5000; index += 1) stream.append(thought('hm '));
    expect(stream.since(0).length).toBe(2000);
    const last = stream.since(4999).at(0)?.event;
    expect(last).toMatchObject({ data: { offset: 1999 * 3, text: 'hm '.repeat(3001) } });
  });

  it('keeps the last of what a tool puts out, for each tool that runs', () => {
    const stream = new TaskStream();
    const kept = (tool: string) =>
      stream
        .since(0)
        .flatMap(({ event }) => (event.type === 'execution.tool_output' && event.data.id === tool ? [event.data] : []))
        .map(({ text: piece }) => piece);
    stream.append(output('other', 'first'));
    for (let index = 0; index < 100; index += 1) stream.append(output('long', String(index).padEnd(1000, '.')));
    expect(kept('long').map((piece) => parseInt(piece, 10))).toEqual(Array.from({ length: 20 }, (_, at) => 80 + at));
    stream.append(output('one', `${'a'.repeat(5000)}${'b'.repeat(20_000)}`));
    expect(kept('one')).toEqual(['b'.repeat(20_000)]);
    for (let index = 0; index < 3000; index += 1) stream.append(output('many', '.'));
    expect([kept('many').length, kept('long').length, kept('other')]).toEqual([500, 20, ['first']]);
  });

  it('never grows beyond its size, and forgets what is oldest', () => {
    const stream = new TaskStream();
    const warning = 'w'.repeat(100_000);
    for (let index = 0; index < 200; index += 1)
      stream.append({ type: 'execution.warning', ...about, data: { message: warning } });
    const left = stream.since(0);
    expect(stream.chars).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(left.length).toBeGreaterThan(70);
    for (let index = 0; index < 3000; index += 1) stream.append(text('t'.repeat(10_000)));
    expect(stream.chars).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(left.map(({ id }) => id)).toEqual(left.map((_, at) => 200 - left.length + 1 + at));
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

  it('forgets those that ended when they are too large together', () => {
    const streams = createTaskStreams();
    for (let index = 0; index < 20; index += 1) {
      const stream = streams.open(`t${index}`);
      stream.append(text('x'.repeat(7 * 1024 * 1024)));
      stream.end();
    }
    streams.open('last');
    const kept = Array.from({ length: 20 }, (_, index) => streams.get(`t${index}`) !== null);
    expect(kept.filter(Boolean)).toHaveLength(9);
    expect(kept.lastIndexOf(false)).toBe(10);
  });
});
