import { expect, it } from 'vitest';
import type { CallRow } from '../../calls-api.ts';
import { callState } from '../calls/call-words.ts';
import { byDay, shownCalls } from './shown-calls.ts';

const call = (seq: number, code: string | null, name: string, more: Partial<CallRow> = {}): CallRow => ({
  ...{ seq, id: `call_${seq}`, at: `2026-03-0${Math.ceil(seq / 4)}T12:00:0${seq}`, caller: 'cursor' },
  ...{ tool_id: 'jobs.rename', connector_id: 'jobs', args: { name }, outcome: code === null ? 'ok' : 'error' },
  ...{ code, message: null, duration_ms: 5 },
  ...more,
});
const lines = (...calls: CallRow[]) =>
  shownCalls(calls.toReversed()).map(({ call: { seq }, wasAsked }) => `${seq}${wasAsked ? ' asked' : ''}`);

it('an approved call is one line, and one that waits or was refused is another', () => {
  expect(lines(call(1, 'approval_required', 'Ada'), call(2, null, 'Ada'))).toEqual(['2 asked']);
  expect(lines(call(1, 'approval_required', 'Ada'), call(2, null, 'Bo'))).toEqual(['2', '1']);
  expect(lines(call(1, 'approval_required', 'Ada'), call(2, 'upstream_error', 'Ada'))).toEqual(['2 asked']);
});

it('a denied call is one line, whether or not its caller came back for the answer', () => {
  const denied = call(1, 'approval_required', 'Ada', { approval: 'denied' });
  expect(lines(denied)).toEqual(['1']);
  expect(lines(denied, call(2, 'approval_denied', 'Ada', { at: denied.at }))).toEqual(['2 asked']);
  expect(lines(denied, call(2, null, 'Ada'))).toEqual(['2', '1']);
  expect(callState(shownCalls([denied])[0]!.call).label).toBe('Denied');
});

it('a yes is used once: the next call of the same kind is a call of its own', () => {
  const asks = [call(1, 'approval_required', 'Ada'), call(2, null, 'Ada'), call(3, 'approval_required', 'Ada')];
  expect(lines(...asks)).toEqual(['3', '2 asked']);
  expect(lines(...asks, call(4, null, 'Ada'))).toEqual(['4 asked', '2 asked']);
  expect(lines(call(1, null, 'Ada'), call(2, null, 'Ada'))).toEqual(['2', '1']);
});

it('days have headings', () => {
  const calls = [1, 3, 4, 5, 9].map((seq) => call(seq, null, 'Ada')).toReversed();
  expect(byDay(shownCalls(calls)).map(({ calls: some }) => some.map(({ call: { seq } }) => seq))).toEqual([
    [9],
    [5],
    [4, 3, 1],
  ]);
  expect(byDay([])).toEqual([]);
});
