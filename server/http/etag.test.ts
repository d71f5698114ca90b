import { describe, expect, it } from 'vitest';
import { isKnownTag } from './etag.ts';

describe('a conditional request', () => {
  it.each([
    ['', false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    ['"x","abc"', true],
    ['"a,b" , W/"abc"', true],
    ['*', true],
    ['"x"', false],
    ['abc', false],
    ['"abc', false],
    ['"xabc"', false],
    ['"x"abc"', false],
  ])('%s: %s', (header, isKnown) => {
    expect(isKnownTag(header, '"abc"')).toBe(isKnown);
  });

  it('takes a tag with a comma in it for one', () => {
    expect(isKnownTag('"a,b"', '"a,b"')).toBe(true);
    expect(isKnownTag('"a,b"', '"b"')).toBe(false);
  });
});
