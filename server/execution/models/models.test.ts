import { describe, expect, it } from 'vitest';
import { testForge } from '../../testing/forge.ts';
import { fakeLlm } from '../testing/fake-llm/fake-llm.ts';
import { turn } from '../testing/fake-llm/script.ts';
import { baseUrlOf } from './base-url.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { findLocalServers } from './local-servers.ts';
import { modelIds } from './model-list.ts';

const { fetch } = createGuardedFetch({ ownPorts: () => [], proxy: {} });

describe('Settings → Models', () => {
  it('D-06 saves keys sealed, shows that they are there, and uses them', async () => {
    const llm = await fakeLlm();
    const forge = await testForge();
    const before = (await forge.request('GET', '/api/models')).body;
    expect(before.providers.map(({ id, configured }: { id: string; configured: boolean }) => [id, configured])).toEqual(
      [
        ['anthropic', false],
        ['openai', false],
        ['google', false],
        ['openai-compatible', false],
      ],
    );
    const providers = { anthropic: { api_key: 'sk-canary-model', base_url: llm.url, model: 'fake-small' } };
    const { status, body } = await forge.request('PUT', '/api/models', { providers, revision: 0 });
    expect(status).toBe(200);
    expect(body.providers[0]).toEqual({
      ...{ id: 'anthropic', name: 'Anthropic', configured: true, source: 'settings', has_key: true },
      ...{ base_url: llm.baseUrl, model: 'fake-small' },
    });
    expect(JSON.stringify(body)).not.toContain('canary');
    const { body: result } = await forge.request('POST', '/api/v2/dispatch', { message: 'Hi', wait: true });
    expect(result).toMatchObject({ status: 'ok', output: 'Hello.', model: 'fake-small', warnings: [] });
    expect(llm.requests[0]!.headers['x-api-key']).toBe('sk-canary-model');
    expect(forge.logLines.join('')).not.toContain('canary');
    // Rotated with all other secrets, and still readable.
    expect((await forge.request('POST', '/api/secrets/rotate')).body).toMatchObject({ count: 1 });
    expect((await forge.request('POST', '/api/v2/dispatch', { message: 'Hi', wait: true })).body.status).toBe('ok');
    expect((await forge.request('PUT', '/api/models', { providers, revision: 0 })).status).toBe(412);
    const removed = await forge.request('PUT', '/api/models', {
      providers: { anthropic: { api_key: null, base_url: null } },
    });
    expect(removed.body.providers[0]).toMatchObject({ configured: false, has_key: false });
  });

  it('keeps a key that is not sent again', async () => {
    const llm = await fakeLlm();
    const forge = await testForge();
    const put = (openai: object) => forge.request('PUT', '/api/models', { providers: { openai } });
    await put({ api_key: 'sk-1', base_url: llm.url });
    await put({ api_key: { $secret: true }, model: 'fake-large' });
    await forge.request('POST', '/api/v2/dispatch', { message: 'Hi', wait: true });
    expect(llm.requests[0]).toMatchObject({ model: 'fake-large', headers: { authorization: 'Bearer sk-1' } });
  });

  it('takes the environment first, and never mixes its address with a saved key', async () => {
    const llm = await fakeLlm();
    const forge = await testForge({ OPENAI_COMPATIBLE_BASE_URL: llm.url, OPENAI_COMPATIBLE_MODEL: 'local' });
    await forge.request('PUT', '/api/models', {
      providers: { 'openai-compatible': { api_key: 'sk-saved', model: 'other' } },
    });
    const { body } = await forge.request('POST', '/api/v2/dispatch', { message: 'Hi', wait: true });
    expect(body).toMatchObject({ status: 'ok', model: 'local', modelProvider: 'openai-compatible' });
    expect(llm.requests[0]!.headers['authorization']).toBeUndefined();
  });

  it('finds the model behind a name', async () => {
    const forge = await testForge({ ANTHROPIC_API_KEY: 'sk-a', OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1' });
    const { models } = forge.services.execution;
    const choose = (name: string) => {
      const { provider, model } = models.choose(name);
      return `${provider} ${model}`;
    };
    expect(choose('')).toBe('anthropic claude-sonnet-5-5');
    expect(choose('claude-x')).toBe('anthropic claude-x');
    expect(choose('anthropic')).toBe('anthropic claude-sonnet-5-5');
    expect(choose('qwen3:8b')).toBe('openai-compatible qwen3:8b');
    expect(choose('openai-compatible/meta/llama')).toBe('openai-compatible meta/llama');
    expect(() => choose('openai/gpt-x')).toThrow(expect.objectContaining({ code: 'model_not_configured' }));
    expect(() => choose('openai-compatible')).toThrow('no model of OpenAI-compatible is chosen');
    await forge.request('PUT', '/api/models', { default_model: 'openai-compatible/qwen' });
    expect(choose('')).toBe('openai-compatible qwen');
  });

  it.each([
    ['a key with a line break', { anthropic: { api_key: 'a\r\nX: y' } }],
    ['an address that is none', { anthropic: { base_url: 'file:///etc/passwd' } }],
    ['an address with a password', { anthropic: { base_url: 'http://me:pw@a.test' } }],
    ['a provider nobody knows', { nobody: {} }],
  ])('refuses %s', async (_what, providers) => {
    const forge = await testForge();
    expect((await forge.request('PUT', '/api/models', { providers })).status).toBe(400);
  });
});

describe('trying models out', () => {
  it('tests a key before it is saved, and says what is wrong', async () => {
    const llm = await fakeLlm([
      turn.text('OK'),
      { refuse: { status: 401, type: 'authentication_error', message: 'wrong key: sk-trial-canary' } },
    ]);
    const forge = await testForge();
    const trial = { provider: 'anthropic', api_key: 'sk-trial-canary', base_url: llm.url, model: 'fake-small' };
    const good = await forge.request('POST', '/api/models/test', trial);
    expect(good.body).toMatchObject({ ok: true, model: 'fake-small', message: 'fake-small answers' });
    const bad = await forge.request('POST', '/api/models/test', trial);
    expect(bad.body).toMatchObject({
      ok: false,
      code: 'model_auth_failed',
      message: 'wrong key: [secret]',
      hint: 'Check the key under Settings → Models.',
    });
    expect((await forge.request('POST', '/api/models/test', { provider: 'openai' })).body.error.code).toBe(
      'model_not_configured',
    );
    expect(forge.services.execution.models.isConfigured()).toBe(false);
    const own = await forge.request('POST', '/api/models/test', { ...trial, base_url: `${forge.url}/v1` });
    expect(own.body).toMatchObject({ ok: false, code: 'address_refused' });
  });

  it('lists what a provider offers', async () => {
    const llm = await fakeLlm([], { models: ['big', 'small'] });
    const forge = await testForge({
      OPENAI_API_KEY: 'sk',
      OPENAI_BASE_URL: llm.url,
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    });
    expect((await forge.request('GET', '/api/models/openai/list')).body).toEqual({ models: ['big', 'small'] });
    expect((await forge.request('GET', '/api/models/anthropic/list')).body.error.code).toBe('model_unavailable');
    expect((await forge.request('GET', '/api/models/google/list')).status).toBe(409);
    expect((await forge.request('GET', '/api/models/nobody/list')).status).toBe(404);
  });

  it('offers servers on this computer that speak of models, and no others', async () => {
    const llm = await fakeLlm([], { models: ['llama3.1'] });
    const forge = await testForge();
    const found = await findLocalServers(fetch, [
      { name: 'Ollama', url: llm.url },
      { name: 'Something else', url: forge.url },
      { name: 'Nobody', url: 'http://127.0.0.1:9' },
    ]);
    expect(found).toEqual([{ name: 'Ollama', base_url: llm.baseUrl, models: ['llama3.1'] }]);
  });

  it.each<[string, unknown, string[]]>([
    ['OpenAI’s and Anthropic’s', { data: [{ id: 'a' }, { id: 7 }, null] }, ['a']],
    [
      'Google’s',
      {
        models: [
          { name: 'models/g', supportedGenerationMethods: ['generateContent'] },
          { name: 'models/e', supportedGenerationMethods: ['embedContent'] },
        ],
      },
      ['g'],
    ],
    ['nonsense', 'nonsense', []],
  ])('reads %s list', (_what, body, ids) => {
    expect(modelIds(body)).toEqual(ids);
  });

  it.each([
    ['https://a.test', 'https://a.test/v1'],
    ['https://a.test/', 'https://a.test/v1'],
    [' http://127.0.0.1:11434/v1/ ', 'http://127.0.0.1:11434/v1'],
    ['https://a.test/custom/path', 'https://a.test/custom/path'],
  ])('makes a base URL of %s', (text, url) => {
    expect(baseUrlOf(text, '/v1')).toBe(url);
  });
});
