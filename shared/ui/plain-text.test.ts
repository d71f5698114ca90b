import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

it('writes out what would make a question look like another', () => {
  expect(plainText('pay\u202Eoot\u200b')).toBe('pay\\u202eoot\\u200b');
  expect(plainText('a\ufff9b\u{e0041}')).toBe('a\\ufff9b\\u{e0041}');
  expect(plainText('plain — wörds\nand lines')).toBe('plain — wörds\nand lines');
});
