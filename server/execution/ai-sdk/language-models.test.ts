import { describe, expect, it } from 'vitest';
import { Secret } from '../../../shared/secret.ts';
import type { ModelChoice } from '../models/model-settings.ts';
import { createLanguageModels } from './language-models.ts';

const chosen = (change: Partial<ModelChoice> = {}): ModelChoice => ({
  ...{ provider: 'openai', model: 'large', apiKey: new Secret('sk-one'), baseUrl: 'http://127.0.0.1:9/v1' },
  isOwnServer: true,
  ...change,
});

describe('E-28 a model that is asked again', () => {
  it('is the one that was asked before', async () => {
    const languageModel = createLanguageModels(fetch);
    expect(await languageModel(chosen())).toBe(await languageModel(chosen()));
  });

  it.each<[string, Partial<ModelChoice>]>([
    ['provider', { provider: 'openai-compatible' }],
    ['name', { model: 'small' }],
    ['key', { apiKey: new Secret('sk-two') }],
    ['key, taken away,', { apiKey: null }],
    ['address', { baseUrl: 'http://127.0.0.1:8/v1' }],
    ['server', { isOwnServer: false }],
  ])('is another one when its %s is', async (_what, change) => {
    const languageModel = createLanguageModels(fetch);
    const before = await languageModel(chosen());
    const after = await languageModel(chosen(change));
    expect(after).not.toBe(before);
    expect(await languageModel(chosen(change))).toBe(after);
    expect(await languageModel(chosen())).toBe(before);
  });

  it('is forgotten when many others were asked since', async () => {
    const languageModel = createLanguageModels(fetch);
    const before = await languageModel(chosen());
    for (let other = 0; other < 8; other += 1) await languageModel(chosen({ model: `other-${other}` }));
    expect(await languageModel(chosen())).not.toBe(before);
  });
});
