import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growth, LINEAR } from '../../shared/testing/processor-time.ts';
import { PatternSearch } from './pattern-search.ts';
import { rounds } from '../../shared/testing/rounds.ts';

function searchFor(patterns: Iterable<string>): PatternSearch {
  const search = new PatternSearch();
  for (const pattern of patterns) search.add(pattern);
  return search;
}

/** The plain way: mark every character of every occurrence, then read off the marked stretches that belong together. */
function slowSearch(patterns: readonly string[], text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const pattern of patterns) {
    for (let start = text.indexOf(pattern); start !== -1; start = text.indexOf(pattern, start + 1)) {
      found.push({ start, end: start + pattern.length });
    }
  }
  const merged: { start: number; end: number }[] = [];
  for (const range of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}

describe('PatternSearch', () => {
  const word = (min: number, max: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: min, maxLength: max });

  it.each([
    ['short', 1, 6],
    ['long enough to skip ahead', 4, 14],
    ['long', 9, 20],
  ])('finds what the plain way finds, with patterns that are %s', (_, min, max) => {
    const inputs = fc.array(word(min, max), { maxLength: 6 }).chain((patterns) => {
      const part = patterns.length === 0 ? word(0, 20) : fc.oneof(word(0, 20), fc.constantFrom(...patterns));
      return fc.tuple(fc.constant(patterns), fc.array(part));
    });
    fc.assert(
      fc.property(inputs, ([patterns, parts]) => {
        const text = parts.join('');
        expect(searchFor(patterns).find(text)).toEqual(slowSearch(patterns, text));
      }),
      { numRuns: rounds(3000) },
    );
  });

  it('knows from where on the end of a text is undecided', () => {
    const inputs = fc.tuple(fc.array(word(4, 14), { minLength: 1, maxLength: 6 }), fc.array(word(0, 20)));
    fc.assert(
      fc.property(inputs, ([patterns, parts]) => {
        const text = parts.join('');
        const from = searchFor(patterns).undecidedFrom(text);
        for (let start = 0; start < from; start += 1) {
          const rest = text.slice(start);
          expect(patterns.some((pattern) => pattern.length > rest.length && pattern.startsWith(rest))).toBe(false);
        }
      }),
      { numRuns: rounds(1000) },
    );
  });

  it.each([
    ['nothing to look for', [], 'abc', []],
    ['nothing to look in', ['abc'], '', []],
    ['one inside the other', ['bcd', 'abcde'], 'xabcdex', [{ start: 1, end: 6 }]],
    ['one that begins where another fails', ['abcd', 'bce'], 'abce', [{ start: 1, end: 4 }]],
    ['overlapping ones as one', ['abc', 'cde'], 'abcde', [{ start: 0, end: 5 }]],
    [
      'neighbours as two',
      ['abc', 'def'],
      'abcdef',
      [
        { start: 0, end: 3 },
        { start: 3, end: 6 },
      ],
    ],
    ['surrogate pairs', ['😀'], 'a😀b', [{ start: 1, end: 3 }]],
  ])('finds %s', (_, patterns, text, ranges) => {
    expect(searchFor(patterns).find(text)).toEqual(ranges);
  });

  const long = Array.from({ length: 300 }, (_, index) => String.fromCharCode(0x100 + index)).join('');
  it('finds a long pattern in full', () => {
    expect(searchFor([long]).find(`x${long}${long}y`)).toEqual([
      { start: 1, end: 301 },
      { start: 301, end: 601 },
    ]);
  });

  it('finds the first part of a long pattern that was cut off, from 64 characters on', () => {
    expect(searchFor([long]).find(`x${long.slice(0, 100)} y`)).toEqual([{ start: 1, end: 101 }]);
    expect(searchFor([long]).find(`x${long.slice(0, 64)}`)).toEqual([{ start: 1, end: 65 }]);
    expect(searchFor([long]).find(`x${long.slice(0, 63)}y`)).toEqual([]);
  });

  it('finds a pattern that begins inside a long one and reaches behind it', () => {
    const next = `${long.slice(-3)}next`;
    expect(searchFor([long, next]).find(`${long}next`)).toEqual([{ start: 0, end: 304 }]);
    const reaching = `${long.slice(-70)}next`;
    expect(searchFor([long, reaching]).find(`${long}next`)).toEqual([{ start: 0, end: 304 }]);
  });

  it('tells long patterns with the same beginning apart', () => {
    const [one, two] = [`${long}one`, `${long}twofold`];
    expect(searchFor([one, two]).find(`${two}!`)).toEqual([{ start: 0, end: 307 }]);
  });

  it('takes no more than a few passes over a text that almost matches everywhere', () => {
    // Comparing the whole pattern at each place would be quadratic.
    const workOf = (length: number) => {
      const search = searchFor([`${'a'.repeat(length / 10)}b`]);
      const text = 'a'.repeat(length);
      return () => expect(search.find(text)).toEqual([{ start: 0, end: length }]);
    };
    expect(growth(workOf, 1000)).toBeLessThan(LINEAR);
  });
});
