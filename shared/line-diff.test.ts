import { expect, it } from 'vitest';
import { diffLines } from './line-diff.ts';

const shown = (before: string, after: string) =>
  diffLines(before, after).map((line) =>
    line.kind === 'skip' ? `… ${line.count}` : `${{ same: ' ', added: '+', removed: '-' }[line.kind]}${line.text}`,
  );

const numbers = Array.from({ length: 12 }, (_, index) => String(index));
const without = (...gone: string[]) => numbers.filter((line) => !gone.includes(line));

it.each([
  ['nothing changed', 'a\nb', 'a\nb', ['… 2']],
  ['a line was added', 'a\nb', 'a\nx\nb', [' a', '+x', ' b']],
  ['a line was removed', 'a\nx\nb', 'a\nb', [' a', '-x', ' b']],
  ['a line was replaced', 'a\nx\nb', 'a\ny\nb', [' a', '-x', '+y', ' b']],
  ['everything is new', '', 'a\nb\n', ['+a', '+b']],
  ['everything is gone', 'a\n', '', ['-a']],
  ['a line moved', 'a\nb\nc', 'b\nc\na', ['-a', ' b', ' c', '+a']],
  ['far lines are left out', numbers.join('\n'), without('5').join('\n'), ['… 3', ' 3', ' 4', '-5', ' 6', ' 7', '… 4']],
  [
    'two places',
    numbers.join('\n'),
    without('1', '10').join('\n'),
    [' 0', '-1', ' 2', ' 3', '… 4', ' 8', ' 9', '-10', ' 11'],
  ],
])('%s', (_title, before, after, expected) => {
  expect(shown(before, after)).toEqual(expected);
});

it('shows a huge change as replaced instead of comparing every pair of lines', () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word}${index}`).join('\n');
  const lines = shown(many('old'), many('new'));
  expect(lines).toHaveLength(6000);
  expect(lines[0]).toBe('-old0');
  expect(lines.at(-1)).toBe('+new2999');
});
