import { expect, it } from 'vitest';
import {
  CALL_NAMESPACES,
  INJECT_NAMESPACES,
  requireNamespaces,
  TEST_NAMESPACES,
  WATCH_NAMESPACES,
  type Namespaces,
} from './namespaces.ts';

const NAMES = new Set(['token']);

it.each<[string, unknown, Namespaces, string | null]>([
  ['a call', ['{settings.a}/{token}/{args.x}', { b: 1 }], CALL_NAMESPACES, null],
  [
    'a result in a call',
    { url: 'x', headers: { A: 'b {result.id}' } },
    CALL_NAMESPACES,
    '{result.id} has no value here',
  ],
  ['a poll in a list', [['{poll.x}']], CALL_NAMESPACES, '{poll.x} has no value here'],
  ['a test', { url: '{token}{settings.a}' }, TEST_NAMESPACES, null],
  ['an argument in a test', { url: '{args.x}' }, TEST_NAMESPACES, 'a test has no arguments'],
  ['an argument as a key', { '{args.x}': 'y' }, INJECT_NAMESPACES, 'filled from settings only'],
  ['a result that a watch keeps', { id: '{result.id}' }, WATCH_NAMESPACES, null],
  ['a poll before the first', { id: '{poll.id}' }, WATCH_NAMESPACES, 'before the first poll'],
  ['braces that are no token', 'a {result} {other.x} {}', CALL_NAMESPACES, null],
])('%s', (_title, value, namespaces, problem) => {
  const check = () => requireNamespaces(value, NAMES, namespaces);
  if (problem === null) expect(check).not.toThrow();
  else
    expect(check).toThrow(
      expect.objectContaining({ code: 'invalid_manifest', message: expect.stringContaining(problem) as string }),
    );
});
