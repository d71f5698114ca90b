import { describe, expect, it } from 'vitest';
import { manifest, testForge } from '../../testing/forge.ts';
import { json, upstream } from '../../testing/upstream.ts';
import { fakeLlm } from '../testing/fake-llm/fake-llm.ts';
import { skipWaits } from '../testing/skip-waits.ts';
import { turn, type LlmScript } from '../testing/fake-llm/script.ts';

/** A Forge whose only models are Google's. */
async function googleForge(script: LlmScript, options: Parameters<typeof fakeLlm>[1] = {}) {
  const llm = await fakeLlm(script, options);
  const env = { GOOGLE_GENERATIVE_AI_API_KEY: 'AIza-canary', GOOGLE_GENERATIVE_AI_BASE_URL: llm.url };
  const forge = await testForge(env);
  const dispatch = (body: object) => forge.request('POST', '/api/v2/dispatch', { message: 'Hi', wait: true, ...body });
  return { llm, forge, dispatch };
}

describe('Google’s models', () => {
  it('E-15 D-12 use tools through Forge, and their key stands in a header', async () => {
    const items = await upstream(json({ name: 'apple' }));
    const { llm, forge, dispatch } = await googleForge([
      { thinking: 'Hm.', toolCalls: [{ name: 'demo__get_item', args: { id: '7' } }] },
      turn.text('An apple.', { input: 60, output: 3, cacheRead: 40, thinking: 5 }),
    ]);
    await forge.request('POST', '/api/connectors/install-local', { yaml: manifest() });
    await forge.request('PUT', '/api/connectors/demo/settings', { values: { base_url: items.url } });
    const { body } = await dispatch({ model: 'google/gemini-fake', systemPrompt: 'Be brief.' });
    expect(body).toMatchObject({
      ...{ status: 'ok', output: 'An apple.', model: 'gemini-fake', modelProvider: 'google' },
      usage: { inputTokens: 160, outputTokens: 28, thinkingTokens: 5, cacheReadTokens: 40 },
    });
    expect(items.seen.map(({ line }) => line)).toEqual(['GET /items/7']);
    expect(llm.requests.map(({ protocol, model }) => `${protocol} ${model}`)).toEqual(
      Array(2).fill('google gemini-fake'),
    );
    expect(llm.requests[0]).toMatchObject({ headers: { 'x-goog-api-key': 'AIza-canary' } });
    expect(llm.requests[0]!.system).toContain('Be brief.');
    expect(llm.requests[0]!.tools.find(({ name }) => name === 'demo__get_item')?.schema).toMatchObject({
      required: ['id'],
    });
    expect(llm.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', text: expect.stringContaining('apple') });
    expect(forge.logLines.join('')).not.toContain('canary');
  });

  it.each([
    ['in the middle of a stream', turn.overloaded('Half'), 'model_unavailable', 'Half'],
    ['for now', turn.rateLimited(), 'model_rate_limited', undefined],
  ])('fail %s, and it is told as it is', async (_when, refusal, errorCode, output) => {
    skipWaits(7000);
    const { dispatch } = await googleForge([refusal]);
    const { body } = await dispatch({});
    expect(body).toMatchObject({ status: 'error', errorCode, ...(output === undefined ? {} : { output }) });
  });

  it('are tried out and listed, and a key that Google does not know is called that', async () => {
    const { llm, forge } = await googleForge([turn.text('OK'), turn.unauthorized('google')], { models: ['gemini-a'] });
    const test = async () => (await forge.request('POST', '/api/models/test', { provider: 'google' })).body;
    expect(await test()).toMatchObject({ ok: true, model: 'gemini-flash-latest' });
    expect(await test()).toMatchObject({ ok: false, code: 'model_auth_failed' });
    expect(llm.requests[0]).toMatchObject({ protocol: 'google', model: 'gemini-flash-latest' });
    expect((await forge.request('GET', '/api/models/google/list')).body).toEqual({ models: ['gemini-a'] });
    const { refuse: refuseList } = turn.unauthorized('google');
    const refused = await fakeLlm([], { ...(refuseList && { refuseList }) });
    const other = await testForge({ GOOGLE_GENERATIVE_AI_API_KEY: 'x', GOOGLE_GENERATIVE_AI_BASE_URL: refused.url });
    expect((await other.request('GET', '/api/models/google/list')).body.error.code).toBe('model_auth_failed');
  });
});
