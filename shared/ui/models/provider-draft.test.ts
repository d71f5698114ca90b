import { describe, expect, it } from 'vitest';
import {
  automaticModel,
  changeOf,
  draftOfProvider,
  modelGroups,
  saveOf,
  trialOf,
  type Provider,
  type SavedModels,
} from './provider-draft.ts';

const SAVED: Provider = {
  ...{ id: 'anthropic', name: 'Anthropic', configured: true, source: 'settings', has_key: true },
  ...{ base_url: null, model: 'large' },
};
const LOCAL: Provider = {
  ...{ id: 'openai-compatible', name: 'OpenAI-compatible', configured: false, source: null, has_key: false },
  ...{ base_url: null, model: null },
};

describe('a provider while it is edited', () => {
  it('saves only what was changed, and never a key nobody touched', () => {
    const draft = draftOfProvider(SAVED);
    expect(changeOf(SAVED, draft)).toEqual({});
    expect(changeOf(SAVED, { ...draft, model: ' small ' })).toEqual({ model: 'small' });
    expect(changeOf(SAVED, { ...draft, model: '' })).toEqual({ model: null });
    expect(changeOf(SAVED, { ...draft, key: { ...draft.key, state: 'removed' } })).toEqual({ api_key: null });
    expect(changeOf(SAVED, { ...draft, key: { ...draft.key, state: 'typed' } })).toEqual({});
    expect(changeOf(LOCAL, { ...draftOfProvider(LOCAL), baseUrl: 'http://127.0.0.1:11434' })).toEqual({
      base_url: 'http://127.0.0.1:11434',
    });
  });

  it('a model that was tested and saved is chosen if none was', () => {
    const none = { default_model: null, revision: 1, can_answer: false, providers: [LOCAL] };
    const draft = { ...draftOfProvider(LOCAL), baseUrl: 'http://127.0.0.1:11434' };
    const tested = { ok: true, model: 'qwen3:8b', message: 'qwen3:8b answers', duration_ms: 5 };
    const base_url = draft.baseUrl;
    const saved = (models: SavedModels, ...rest: [typeof draft, typeof tested | null]) =>
      saveOf(models, LOCAL, ...rest);
    const local = (change: object) => ({ providers: { 'openai-compatible': change } });
    expect(saved(none, draft, tested)).toEqual({
      ...local({ base_url, model: 'qwen3:8b' }),
      default_model: 'openai-compatible/qwen3:8b',
    });
    expect(saved(none, { ...draft, model: 'llama' }, { ...tested, model: 'llama' })).toEqual({
      ...local({ base_url, model: 'llama' }),
      default_model: 'openai-compatible/llama',
    });
    for (const untested of [null, { ...tested, ok: false }])
      expect(saved(none, draft, untested)).toEqual(local({ base_url }));
    // Another model is used already, and stays the one.
    const taken = { ...none, providers: [SAVED, LOCAL] };
    expect(saved(taken, draft, tested)).toEqual(local({ base_url, model: 'qwen3:8b' }));
  });

  it('is tested as it stands, saved or not; an address of the environment stays there', () => {
    const draft = draftOfProvider(SAVED);
    const typed = { ...draft, key: { ...draft.key, state: 'typed' as const, text: 'sk-new' } };
    expect(trialOf(SAVED, typed)).toEqual({ provider: 'anthropic', model: 'large', api_key: 'sk-new' });
    const fixed: Provider = { ...SAVED, source: 'environment', base_url: 'https://proxy.test' };
    expect(trialOf(fixed, draftOfProvider(fixed))).toEqual({ provider: 'anthropic', model: 'large' });
  });
});

describe('the default model', () => {
  it('comes from the first provider that is set up', () => {
    expect(automaticModel([LOCAL, SAVED])).toBe('anthropic/large');
    expect(automaticModel([LOCAL])).toBeNull();
  });

  it('is chosen from what providers list; one that is no longer listed stays in sight', () => {
    const answer = { default_model: 'openai/gone', revision: 1, can_answer: true, providers: [SAVED, LOCAL] };
    expect(modelGroups(answer, { anthropic: ['small', 'large'] })).toEqual([
      { name: 'Chosen now', models: ['openai/gone'] },
      { name: 'Anthropic', models: ['anthropic/large', 'anthropic/small'] },
    ]);
    expect(modelGroups({ ...answer, default_model: null }, {})).toEqual([
      { name: 'Anthropic', models: ['anthropic/large'] },
    ]);
  });
});
