import type { Static } from '@sinclair/typebox';
import type { PricedModel as PricedModelSchema } from '../../execution-api.ts';
import { MAX_MODEL_PRICE } from '../../model-price.ts';

export type PricedModel = Static<typeof PricedModelSchema>;
type Price = NonNullable<PricedModel['price']>;

/** A price while it is edited: what stands in the fields. */
export type PriceDraft = Record<keyof Price, string>;

/** The fields in the order they are shown. */
export const PRICE_FIELDS: readonly { name: keyof Price; label: string; required: boolean }[] = [
  { name: 'input', label: 'Input', required: true },
  { name: 'output', label: 'Output', required: true },
  { name: 'cache_read', label: 'Read from cache', required: false },
  { name: 'cache_write', label: 'Written to cache', required: false },
];

export function draftOfPrice({ price }: Pick<PricedModel, 'price'>): PriceDraft {
  const text = (name: keyof Price) => String(price?.[name] ?? '');
  return {
    input: text('input'),
    output: text('output'),
    cache_read: text('cache_read'),
    cache_write: text('cache_write'),
  };
}

/** What is wrong with each field; empty when nothing is. */
export function priceProblems(draft: PriceDraft): Partial<PriceDraft> {
  return Object.fromEntries(
    PRICE_FIELDS.flatMap(({ name, required }) => {
      const text = draft[name].trim();
      if (text === '') return required ? [[name, 'Both are needed.']] : [];
      return isPrice(text) ? [] : [[name, 'A number of dollars, such as 3 or 0.25.']];
    }),
  );
}

/** Only for a draft without problems. */
export function priceOfDraft(draft: PriceDraft): Price {
  const optional = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    input: Number(draft.input),
    output: Number(draft.output),
    cache_read: optional(draft.cache_read),
    cache_write: optional(draft.cache_write),
  };
}

/** `$3 in, $15 out`, or that nobody has told it. */
export function priceWords({ price, source }: Pick<PricedModel, 'price' | 'source'>): string {
  if (price === null) return 'No price: conversations show tokens only';
  const from = source === 'provider' ? ', as the provider lists it' : '';
  return `$${price.input} in, $${price.output} out${from}`;
}

function isPrice(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text) && Number(text) <= MAX_MODEL_PRICE;
}
