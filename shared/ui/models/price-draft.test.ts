import { describe, expect, it } from 'vitest';
import { draftOfPrice, priceOfDraft, priceProblems, priceWords } from './price-draft.ts';

const PRICE = { input: 3, output: 0.25, cache_read: null, cache_write: 3.75 };

describe('a price while it is edited', () => {
  it('comes back as it was', () => {
    const draft = draftOfPrice({ price: PRICE });
    expect(draft).toEqual({ input: '3', output: '0.25', cache_read: '', cache_write: '3.75' });
    expect(priceProblems(draft)).toEqual({});
    expect(priceOfDraft(draft)).toEqual(PRICE);
  });

  it.each(['-1', '1e3', '3,50', 'three', '.', '100001'])('is none as %s', (input) => {
    expect(priceProblems({ ...draftOfPrice({ price: PRICE }), input })).toHaveProperty('input');
  });

  it('needs input and output, and nothing else', () => {
    expect(priceProblems(draftOfPrice({ price: null }))).toEqual({
      input: 'Both are needed.',
      output: 'Both are needed.',
    });
  });

  it('is told in dollars, or as not known', () => {
    expect(priceWords({ price: PRICE, source: 'person' })).toBe('$3 in, $0.25 out');
    expect(priceWords({ price: PRICE, source: 'provider' })).toBe('$3 in, $0.25 out, as the provider lists it');
    expect(priceWords({ price: null, source: null })).toBe('No price: conversations show tokens only');
  });
});
