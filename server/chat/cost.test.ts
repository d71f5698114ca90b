import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeLlm } from '../execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../execution/testing/fake-llm/script.ts';
import { chatWorld, type ChatWorld } from './testing/chat-world.ts';

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void) => void endings.unshift(end);
let world: ChatWorld;

beforeAll(async () => {
  world = await chatWorld(atEnd);
});

afterAll(async () => {
  for (const end of endings) await end();
});

const PRICE = { input: 3, output: 15, cache_read: null, cache_write: null };
const setPrice = (model: string, price: unknown, provider = 'anthropic') =>
  world.forge.request('PUT', '/api/models/prices', { provider, model, price });
const priceOf = async (name: string) => {
  const { body } = await world.forge.request('GET', '/api/models/prices');
  return body.models.find(({ provider, model }: Record<string, string>) => `${provider}/${model}` === name);
};

describe('E-18 what a conversation costs', () => {
  it('is not known without a price, and counts from when there is one', async () => {
    const { llm, newSession, ask, get } = world;
    llm.script([turn.text('One.', { input: 100, output: 20 })]);
    const id = await newSession();
    expect(await ask(id, 'One?', { model: 'anthropic/m' })).toMatchObject({ cost_usd: null });
    expect(await priceOf('anthropic/m')).toEqual({ provider: 'anthropic', model: 'm', price: null, source: null });
    expect((await setPrice('m', PRICE)).body).toEqual({
      ...{ provider: 'anthropic', model: 'm', price: PRICE, source: 'person' },
    });
    const { cost_usd: cost } = await ask(id, 'Two?', { model: 'anthropic/m' });
    expect(cost).toBeCloseTo((100 * 3 + 20 * 15) / 1e6, 12);
    const { usage } = await get(id);
    expect(usage).toMatchObject({ total_tokens: 240, answers: 2, unpriced_answers: 1, cost_usd: cost });
    await setPrice('m', null);
    expect(await ask(id, 'Three?', { model: 'anthropic/m' })).toMatchObject({ cost_usd: null });
  });

  it('counts what a cache holds at its own price, or as any other input', async () => {
    const { llm, newSession, ask } = world;
    // Anthropic counts what its cache holds apart from the rest of the input.
    llm.script([turn.text('Yes.', { input: 100, output: 10, cacheRead: 1000, cacheWrite: 200 })]);
    const id = await newSession();
    await setPrice('cached', PRICE);
    const whole = await ask(id, 'One?', { model: 'anthropic/cached' });
    expect(whole.usage).toMatchObject({ input_tokens: 1300 });
    expect(whole.cost_usd).toBeCloseTo((1300 * 3 + 10 * 15) / 1e6, 12);
    await setPrice('cached', { ...PRICE, cache_read: 0.3, cache_write: 3.75 });
    const apart = await ask(id, 'Two?', { model: 'anthropic/cached' });
    expect(apart.cost_usd).toBeCloseTo((100 * 3 + 1000 * 0.3 + 200 * 3.75 + 10 * 15) / 1e6, 12);
  });

  it('takes prices from a provider that lists them; a person’s own go before', async () => {
    const { forge, newSession, ask } = world;
    const askedFor = async (model: string): Promise<number | null> =>
      (await ask(await newSession(), 'Hi?', { model: `openai-compatible/${model}` })).cost_usd;
    const pricing = {
      'lab/paid': { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
      'lab/free': { prompt: '0', completion: '0' },
      'lab/varies': { prompt: '-1', completion: '-1' },
      'lab/odd': { prompt: 'much', completion: '' },
    };
    const models = [...Object.keys(pricing), 'lab/silent'];
    const router = await fakeLlm([turn.text('Yes.')], { models, pricing, atEnd });
    const providers = { 'openai-compatible': { base_url: router.url, model: 'lab/paid' } };
    await forge.request('PUT', '/api/models', { providers });
    expect((await forge.request('GET', '/api/models/openai-compatible/list')).body.models).toEqual(models);
    const listed = { input: 3, output: 15, cache_read: 0.3, cache_write: null };
    expect(await priceOf('openai-compatible/lab/paid')).toMatchObject({ price: listed, source: 'provider' });
    const costs = await Promise.all(models.map((model) => askedFor(model)));
    expect(costs).toEqual([expect.closeTo(0.0006, 12), 0, null, null, null]);
    await setPrice('lab/paid', { ...PRICE, input: 30 }, 'openai-compatible');
    expect(await askedFor('lab/paid')).toBeCloseTo(0.0033, 12);
    await setPrice('lab/paid', null, 'openai-compatible');
    expect(await priceOf('openai-compatible/lab/paid')).toMatchObject({ price: listed, source: 'provider' });
  });

  it.each([
    ['less than nothing', { ...PRICE, input: -1 }],
    ['a text', { ...PRICE, output: '15' }],
    ['too much to be true', { ...PRICE, input: 1e9 }],
    ['half a price', { input: 3 }],
    ['something else', { ...PRICE, currency: 'EUR' }],
  ])('refuses a price that is %s', async (_what, price) => {
    expect((await setPrice('refused', price)).status).toBe(400);
  });
});
