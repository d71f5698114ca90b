import { describe, expect, it } from 'vitest';
import { clipText, clipWords, cutText } from './cut-text.ts';

describe('texts that are too long', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['a\u{1F600}b', 2, 'a'],
    ['a\u{1F600}b', 3, 'a\u{1F600}'],
    ['abc', 0, ''],
  ])('%j cut to %i is %j', (text, max, cut) => {
    expect(cutText(text, max)).toBe(cut);
  });

  it('say where something is missing', () => {
    expect(clipText('abcd', 3)).toBe('ab…');
    expect(clipText('abc', 3)).toBe('abc');
  });

  it.each([
    ['the key is sk-123456 here', 18, 'the key is…'],
    ['the key is sk-123456', 20, 'the key is sk-123456'],
    ['the key is sk-123456 ', 20, 'the key is…'],
    ['the key is sk-123456 .', 21, 'the key is sk-123456…'],
    ['the\nkey', 4, 'the…'],
    ['sk-123456', 5, '…'],
    ['a   bc', 5, 'a…'],
  ])('%j with at most %i characters and whole words is %j', (text, max, clipped) => {
    expect(clipWords(text, max)).toBe(clipped);
  });
});
