import { describe, expect, it } from 'vitest';
import { maskerOf } from './testing/masker-of.ts';

describe('the end of a text', () => {
  it('is masked together with what stood before it, wherever it was cut', () => {
    const key = `-----BEGIN KEY-----\n${Buffer.from('some entropy!'.repeat(90)).toString('base64')}\n-----END KEY-----`;
    for (const secret of ['p@ss/wörd "1" + \\x?', key]) {
      const text = `before ${secret} after`;
      const masker = maskerOf(secret);
      for (let cut = 8; cut < text.length - 6; cut += 1) {
        expect(masker.redactAfter(text.slice(0, cut), text.slice(cut))).toBe('[secret] after');
      }
      expect(masker.redactAfter('before ', text.slice(7))).toBe('[secret] after');
    }
  });

  it('is what it is where nothing is known', () => {
    expect(maskerOf().redactAfter('before', 'after')).toBe('after');
  });
});
