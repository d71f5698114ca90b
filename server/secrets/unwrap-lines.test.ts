import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growth, LINEAR } from '../../shared/testing/processor-time.ts';
import { unwrapLines } from './unwrap-lines.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const LINE = 'abcdefghij0123456789ABCDEFGHIJ+/-_';

describe('unwrapLines', () => {
  it.each([
    ['LF', `${LINE}\nxyz`, `${LINE}xyz`],
    ['CRLF', `${LINE}\r\nxyz`, `${LINE}xyz`],
    ['an indent', `  ${LINE}\n  \txyz`, `  ${LINE}xyz`],
    ['many lines', `${LINE}\n${LINE}\n${LINE}\nx`, `${LINE}${LINE}${LINE}x`],
    ['JSON', String.raw`"${LINE}\r\nxyz"`, `"${LINE}xyz"`],
    ['JSON inside JSON', String.raw`"\"${LINE}\\nxyz\""`, String.raw`"\"${LINE}xyz\""`],
    ['a break at the end', `${LINE}\r\n`, LINE],
    ['half a break at the end', `${LINE}\r`, LINE],
  ])('puts lines together over %s', (_, text, joined) => {
    expect(unwrapLines(text)?.text).toBe(joined);
  });

  it.each([
    ['a short line', `${LINE.slice(4)}\nxyz`],
    ['a line of words', `the quick brown fox jumps over the lazy dog\nand more`],
    ['an empty line', `${LINE}\n\nxyz`],
    ['a line that goes on with something else', `${LINE}\n"xyz"`],
    ['no line break', LINE],
  ])('leaves alone %s', (_, text) => {
    expect(unwrapLines(text)).toBeNull();
  });

  it('knows where everything was', () => {
    const part = fc.constantFrom(LINE, LINE.slice(7), '\n', '\r\n', '  ', 'x', '=', ' ', '\\n');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('');
        const unwrapped = unwrapLines(text);
        if (unwrapped === null) return;
        const { text: joined, original } = unwrapped;
        expect(original(joined.length)).toBe(text.length);
        for (let index = 0; index < joined.length; index += 1) {
          expect(text.charAt(original(index))).toBe(joined.charAt(index));
          if (index > 0) expect(original(index)).toBeGreaterThan(original(index - 1));
        }
      }),
      { numRuns: rounds(1000) },
    );
  });

  it.each<[string, (count: number) => string]>([
    ['backslashes', (count) => '\\'.repeat(count)],
    ['escaped line breaks', (count) => '\\n'.repeat(count)],
    ['spaces', (count) => `${LINE}\n${' '.repeat(count)}`],
    ['one long line', (count) => `${'a'.repeat(count)}\nb`],
    ['line breaks', (count) => '\r\n'.repeat(count)],
    ['wrapped lines', (count) => `${LINE}\n`.repeat(count)],
  ])('takes no more than one pass over %s', (_, textOf) => {
    const workOf = (count: number) => {
      const text = textOf(count);
      return () => void unwrapLines(text);
    };
    expect(growth(workOf, 250)).toBeLessThan(LINEAR);
  });
});
