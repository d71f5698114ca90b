import { expect, it } from 'vitest';
import { argsLine, callState } from './call-words.ts';

it.each([
  [{ outcome: 'ok', code: null }, 'ready Done'],
  [{ outcome: 'started', code: null }, 'needs Running'],
  [{ outcome: 'interrupted', code: 'interrupted' }, 'broken Interrupted'],
  [{ outcome: 'error', code: 'approval_required' }, 'needs Asked first'],
  [{ outcome: 'error', code: 'approval_required', approval: 'pending' }, 'needs Asked first'],
  [{ outcome: 'error', code: 'approval_required', approval: 'denied' }, 'broken Denied'],
  [{ outcome: 'error', code: 'approval_denied' }, 'broken Denied'],
  [{ outcome: 'error', code: 'cancelled' }, 'off Cancelled'],
  [{ outcome: 'error', code: 'upstream_error' }, 'broken Service refused'],
  [{ outcome: 'error', code: 'code_of_tomorrow' }, 'broken Code of tomorrow'],
  [{ outcome: 'error', code: 'constructor' }, 'broken Constructor'],
  [{ outcome: 'error', code: null }, 'broken Failed'],
])('%j is %s', (call, words) => {
  const { state, label } = callState(call);
  expect(`${state} ${label}`).toBe(words);
});

it.each([
  [{ limit: 2, name: 'Cleo', on: true, list: [1] }, 'limit: 2, name: Cleo, on: true, list: [1]'],
  [{}, ''],
  [null, ''],
  ['not an object', '"not an object"'],
  [{ text: 'x'.repeat(300) }, `text: ${'x'.repeat(194)}…`],
])('%j reads as %s', (args, line) => expect(argsLine(args)).toBe(line));
