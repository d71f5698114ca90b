import { describe, expect, it } from 'vitest';
import type { HistoryMessage } from './adapter.ts';
import { RuntimeSessions } from './runtime-sessions.ts';
import { executionRequest } from './testing/execution-request.ts';

const user = (text: string): HistoryMessage => ({ role: 'user', text });
const answer = (taskId: string, text = 'Yes.'): HistoryMessage[] => [
  { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'a', args: {} }], taskId },
  { role: 'tool', results: [{ id: 'c', name: 'a', text: 'secret of A', ok: true }] },
  { role: 'assistant', text, taskId },
];
const asked = (taskId: string, message: string, history?: HistoryMessage[]) =>
  executionRequest({ sessionId: 'sess_1', taskId, message, history });

describe('a session of a runtime’s own', () => {
  /** One question, answered by task t1 in the session own-1. */
  const begun = (history?: HistoryMessage[]) => {
    const sessions = new RuntimeSessions();
    sessions.keep(asked('t1', 'First', history), 'own-1');
    return sessions;
  };

  it.each<[string, HistoryMessage[] | undefined, string | undefined]>([
    ['goes on after what it has seen', [user('First'), ...answer('t1')], 'own-1'],
    ['goes on although an old result is shortened', [user('First'), ...answer('t1', 'cut')], 'own-1'],
    ['is left when the question was edited', [user('Another'), ...answer('t1')], undefined],
    ['is left when the question is asked again', [], undefined],
    ['is left when another task answered the same question', [user('First'), ...answer('t2')], undefined],
    ['is left when it has missed something', [user('First'), ...answer('t1'), user('Second')], undefined],
    ['is not for somebody who tells no history', undefined, undefined],
  ])('%s', (_what, history, name) => {
    expect(begun([]).take(asked('t3', 'Next', history))).toBe(name);
  });

  it('is forgotten once it was left, whatever is said later', () => {
    const sessions = begun([]);
    expect(sessions.take(asked('t2', 'First', []))).toBeUndefined();
    expect(sessions.take(asked('t3', 'Next', [user('First'), ...answer('t1')]))).toBeUndefined();
  });

  it('goes on for whoever leaves remembering to the runtime', () => {
    expect(begun().take(asked('t2', 'Next'))).toBe('own-1');
    expect(begun().take(asked('t2', 'Next', []))).toBeUndefined();
  });

  it('is one of so many; the oldest goes first', () => {
    const sessions = new RuntimeSessions(2);
    const of = (sessionId: string) => executionRequest({ sessionId });
    for (const id of ['a', 'b', 'c']) sessions.keep(of(id), id);
    expect(['a', 'b', 'c'].map((id) => sessions.take(of(id)))).toEqual([undefined, 'b', 'c']);
  });
});
