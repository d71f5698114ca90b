import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import { capResult } from './cap.ts';
import { createResultStore } from './handles.ts';
import { charsOf, headOf } from './measure.ts';
import { describeShape } from './shape.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const anyJson = fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<JsonValue>; // fast-check says unknown

describe('measuring a value', () => {
  it('K-50 counts exactly the characters its JSON would have', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(charsOf([value])).toBe(JSON.stringify([value]).length);
      }),
      { numRuns: rounds(500) },
    );
  });

  it.each(['"\\', '\b\t\n\v\f\r', '\0\u001f\u007f', '😀', '\ud83d', '\ude00\ud83d', 'é\u2028'])(
    'K-50 counts what JSON writes for %j',
    (text) => {
      expect(charsOf([text])).toBe(JSON.stringify([text]).length);
      expect(charsOf(text)).toBe(text.length);
    },
  );

  it('K-50 the head is how the JSON begins', () => {
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 0, max: 60 }), (value, max) => {
        const whole = JSON.stringify([value]);
        const head = headOf([value], max);
        expect(whole.startsWith(head)).toBe(true);
        // One less where a character that takes two places would have been cut.
        expect(head.length).toBeGreaterThanOrEqual(Math.min(max, whole.length) - 1);
        expect(head.length).toBeLessThanOrEqual(max);
      }),
      { numRuns: rounds(500) },
    );
  });
});

describe('describing how a value is built', () => {
  it.each<[JsonValue, string]>([
    [
      [
        { id: 1, t: 'x' },
        { id: 2, n: null },
      ],
      'list of 2: {id: number, t?: text, n?: null}',
    ],
    [{ a: { b: [] }, c: true }, '{a: {b: list of 0}, c: boolean}'],
    [{ a: [[1], [2, 3]] }, '{a: list of 2: list of 1 to 2: number}'],
    [[1, 'a', null], 'list of 3: number or text or null'],
    [{ 'odd key': 1 }, '{"odd key": number}'],
    [{ log: 'x'.repeat(5000) }, '{log: text (up to 5000 characters)}'],
    ['a\nb\nc', 'text: 5 characters in 3 lines'],
    [{ a: { b: { c: { d: { e: { f: 1 } } } } } }, '{a: {b: {c: {d: {e: object}}}}}'],
    [{}, 'object'],
    [[], 'list of 0'],
    [7, 'number'],
  ])('K-50 %j', (value, shape) => {
    expect(describeShape(value)).toBe(shape);
  });

  it('K-50 stays short and quick, however wide or long the value is', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`key_${index}`, { a: index, b: [index] }]),
    );
    expect(describeShape(wide).length).toBeLessThanOrEqual(2000);
    expect(describeShape(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 1])))).toContain(
      '… 10 more keys',
    );
    const long = Array.from({ length: 200_000 }, (_, index) => (index < 100_000 ? { first: 1 } : { last: 'x' }));
    expect(describeShape(long)).toBe('list of 200000: {first?: number, last?: text}');
  });
});

describe('capping a result', () => {
  const big = Array.from({ length: 2000 }, (_, id) => ({ id, title: `Title ${id}` }));

  it('K-50 hands over 16,000 characters as they are', () => {
    const store = createResultStore();
    for (const value of ['x'.repeat(16_000), ['x'.repeat(15_996)], { a: 1 }]) {
      expect(capResult(value, store)).toEqual({ value, handle: null });
    }
  });

  it.each<[string, JsonValue]>([
    ['a list', big],
    ['a text', 'line\n'.repeat(4000)],
    ['one character too much', ['x'.repeat(15_997)]],
  ])('K-50 cuts %s and keeps it whole under a handle', (_title, value) => {
    const store = createResultStore();
    const capped = capResult(value, store);
    const whole = typeof value === 'string' ? value : JSON.stringify(value);
    expect(capped.handle).toMatch(/^res_[0-9a-f]{24}$/);
    const { head } = capped.value as { head: string };
    expect(capped.value).toEqual({
      truncated: true,
      head: whole.slice(0, head.length),
      shape: describeShape(value),
      total_chars: whole.length,
      handle: capped.handle,
    });
    expect(store.get(capped.handle!)).toEqual(value);
    expect(charsOf(capped.value)).toBeLessThan(16_000);
    expect(charsOf(capped.value)).toBeGreaterThan(15_700);
  });

  it('K-50 says so when a result is too large even to keep', () => {
    const capped = capResult(big, createResultStore({ maxBytes: 100 }));
    expect(capped).toMatchObject({ handle: null, value: { truncated: true, handle: null } });
  });
});
