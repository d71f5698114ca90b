import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../../../shared/errors.ts';
import { Secret } from '../../../../shared/secret.ts';
import type { ExecutionEvent, ToolRequest } from '../../adapter.ts';
import { createGuardedFetch, type Fetch } from '../../models/guarded-fetch.ts';
import type { ModelChoice } from '../../models/model-settings.ts';
import { adapterContract, SILENT } from '../../testing/adapter-contract.ts';
import { deferred } from '../../testing/deferred.ts';
import { executionRequest } from '../../testing/execution-request.ts';
import { fakeLlm, type FakeLlm } from '../../testing/fake-llm/fake-llm.ts';
import { skipWaits } from '../../testing/skip-waits.ts';
import { turn, type LlmScript } from '../../testing/fake-llm/script.ts';
import { VercelAIProvider } from './provider.ts';

type Provider = ModelChoice['provider'];

const guarded = createGuardedFetch({ ownPorts: () => [], proxy: {} });

function adapterFor(llm: FakeLlm, provider: Provider = 'anthropic', fetch: Fetch = guarded.fetch): VercelAIProvider {
  const choice: ModelChoice = {
    ...{ provider, model: 'fake-large', apiKey: new Secret('sk-test-key'), baseUrl: llm.baseUrl },
    isOwnServer: fetch === guarded.fetch,
  };
  return new VercelAIProvider({ models: { choose: () => choice, isConfigured: () => true }, fetch, log: SILENT });
}

function bareAdapter(): VercelAIProvider {
  const choose = (): never => {
    throw new ForgeError('model_not_configured', 'no model is set up yet');
  };
  return new VercelAIProvider({ models: { choose, isConfigured: () => false }, fetch: guarded.fetch, log: SILENT });
}

const initialised = async (adapter: VercelAIProvider) => {
  await adapter.initialize({});
  return adapter;
};

adapterContract({
  provider: 'vercel-ai',
  profile: {
    capabilities: ['streaming', 'mcp_servers', 'cost_tracking', 'structured_output'],
    nativeTools: [],
    maxConcurrent: 20,
    outputStrategies: ['stream', 'structured'],
    costTier: 'low',
    latencyProfile: 'fast',
  },
  bare: () => initialised(bareAdapter()),
  bareHealth: 'degraded',
  ready: async () => initialised(adapterFor(await fakeLlm())),
  stuck: async () => {
    const { promise: reached, resolve } = deferred();
    const llm = await fakeLlm(() => {
      resolve();
      return { text: 'Hel', beforeDelta: () => new Promise<void>(() => undefined) };
    });
    return { adapter: await initialised(adapterFor(llm)), reached };
  },
});

/** Runs one task against a script and returns everything there is to see. */
async function run(script: LlmScript, changes: Parameters<typeof executionRequest>[0] = {}, provider?: Provider) {
  const llm = await fakeLlm(script);
  const adapter = adapterFor(llm, provider);
  const events: ExecutionEvent[] = [];
  adapter.onEvent((event) => events.push(event));
  const result = await adapter.execute(executionRequest(changes));
  return { llm, result, events, types: events.map(({ type }) => type) };
}

const TOOLS = [
  { name: 'demo__get', description: 'Get an item.', inputSchema: { type: 'object', properties: { id: {} } } },
  { name: 'demo__list', description: 'List items.', inputSchema: { type: 'object' } },
];

/** Which of the protocols a provider speaks. */
const kindOf = (provider: Provider) => (provider === 'openai-compatible' ? 'openai' : provider);

describe.each<Provider>(['anthropic', 'openai', 'openai-compatible', 'google'])('%s', (provider) => {
  it('E-28 E-29 streams text as it comes and counts tokens', async () => {
    const script = [turn.text(['One ', 'two ', 'three.'], { input: 50, output: 7, cacheRead: 30 })];
    const { result, events, llm } = await run(script, { systemPrompt: 'Be brief.' }, provider);
    expect(events.filter(({ type }) => type === 'execution.text').map(({ data }) => data)).toEqual([
      { text: 'One ' },
      { text: 'two ' },
      { text: 'three.' },
    ]);
    expect(result).toMatchObject({
      status: 'ok',
      output: 'One two three.',
      model: 'fake-large',
      modelProvider: provider,
    });
    expect(result.usage).toMatchObject({ outputTokens: 7, cacheReadTokens: 30 });
    expect(llm.requests[0]).toMatchObject({ system: 'Be brief.', messages: [{ role: 'user', text: 'Hello?' }] });
  });

  it('calls tools in parallel through the executor, and hands results and failures back to the model', async () => {
    const asked: ToolRequest[] = [];
    const bothAsked = deferred();
    const { result, llm } = await run(
      [
        turn.tools({ name: 'demo__get', args: { id: '7' }, id: 'one' }, { name: 'demo__list', id: 'two' }),
        turn.text('Done.'),
      ],
      {
        tools: TOOLS,
        toolExecutor: async (request) => {
          asked.push(request);
          if (asked.length === 2) bothAsked.resolve();
          // Neither comes back before both have been asked for: they run side by side.
          await bothAsked.promise;
          return request.name === 'demo__get' ? { ok: true, text: 'an apple' } : { ok: false, text: 'login_required' };
        },
      },
      provider,
    );
    expect(asked).toEqual([
      { id: 'one', name: 'demo__get', args: { id: '7' } },
      { id: 'two', name: 'demo__list', args: {} },
    ]);
    expect(result).toMatchObject({ status: 'ok', output: 'Done.', usage: { inputTokens: 200, outputTokens: 40 } });
    expect(llm.requests[0]!.tools.map(({ name }) => name)).toEqual(['demo__get', 'demo__list']);
    expect(llm.requests[1]!.messages.slice(-2)).toMatchObject([
      { role: 'tool', toolCallId: 'one', text: 'an apple' },
      { role: 'tool', toolCallId: 'two', text: 'login_required' },
    ]);
  });

  it('sends what was said before', async () => {
    const { llm } = await run(
      [turn.text('Yes.')],
      {
        tools: TOOLS,
        history: [
          { role: 'user', text: 'Get 7.' },
          { role: 'assistant', text: 'A moment.', toolCalls: [{ id: 'c1', name: 'demo__get', args: { id: '7' } }] },
          { role: 'tool', results: [{ id: 'c1', name: 'demo__get', text: 'an apple', ok: true }] },
          { role: 'assistant', text: 'An apple.' },
        ],
        message: 'Really?',
      },
      provider,
    );
    expect(llm.requests[0]!.messages).toMatchObject([
      { role: 'user', text: 'Get 7.' },
      { role: 'assistant', text: 'A moment.', toolCalls: [{ id: 'c1', name: 'demo__get', args: { id: '7' } }] },
      { role: 'tool', toolCallId: 'c1', text: 'an apple' },
      { role: 'assistant', text: 'An apple.' },
      { role: 'user', text: 'Really?' },
    ]);
  });

  it('waits as long as a 429 says, and then goes on', async () => {
    const waits = skipWaits(7000);
    const { result, llm } = await run([turn.rateLimited({ 'Retry-After': '7' }), turn.text('Now.')], {}, provider);
    expect(result).toMatchObject({ status: 'ok', output: 'Now.' });
    expect([llm.requests.length, waits()]).toEqual([2, 1]);
  });

  it('keeps what came before a failure in the middle of the stream, and asks nobody twice', async () => {
    const { result, llm, types } = await run([turn.overloaded('Half an ans')], {}, provider);
    expect(result).toMatchObject({ status: 'error', errorCode: 'model_unavailable', output: 'Half an ans' });
    expect(result.error).toContain('Overloaded');
    expect(types.at(-1)).toBe('execution.failed');
    expect(llm.requests).toHaveLength(1);
  });

  it('says that the connection broke off', async () => {
    const { result } = await run([{ text: 'Half', cutMidStream: true }], {}, provider);
    expect(result).toMatchObject({ status: 'error', errorCode: 'model_unavailable', output: 'Half' });
  });

  it.each([
    ['context_overflow', turn.contextOverflow(kindOf(provider))],
    ['model_auth_failed', turn.unauthorized(kindOf(provider))],
    ['model_rate_limited', turn.rateLimited()],
  ])('calls a refusal %s', async (errorCode, refusal) => {
    skipWaits(7000);
    const { result } = await run([refusal], {}, provider);
    expect(result).toMatchObject({ status: 'error', errorCode });
    expect(result.error).not.toContain('sk-test-key');
  });
});

describe('vercel-ai', () => {
  it('tells the model of a tool that does not exist, and shows it', async () => {
    const { result, llm, events } = await run([turn.tools({ name: 'nope', id: 'x' }), turn.text('Sorry.')], {
      tools: TOOLS,
    });
    expect(result).toMatchObject({ status: 'ok', output: 'Sorry.' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'execution.tool_result', data: expect.objectContaining({ id: 'x', ok: false }) }),
    );
    expect(llm.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'x' });
  });

  it('shows a model’s thinking apart from its answer', async () => {
    const { events, result } = await run([{ thinking: 'Hm.', text: 'Yes.' }]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'execution.thinking', data: { text: 'Hm.' } }));
    expect(result.output).toBe('Yes.');
  });

  it('E-34 returns structured output as JSON of the shape asked for', async () => {
    const outputSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const script = [turn.text('{"name":"apple"}')];
    const { result, llm } = await run(script, { outputStrategy: 'structured', outputSchema }, 'openai');
    expect(JSON.parse(result.output ?? '')).toEqual({ name: 'apple' });
    expect(JSON.stringify(llm.requests[0]!.body)).toContain('json_schema');
  });

  it('speaks OpenAI’s newer API with OpenAI itself, and asks it to keep nothing', async () => {
    const llm = await fakeLlm([turn.tools({ name: 'demo__get', args: { id: '7' } }), turn.text('An apple.')]);
    const toolExecutor = () => Promise.resolve({ ok: true, text: 'an apple' });
    const adapter = adapterFor(llm, 'openai', (input, init) => guarded.fetch(input, init));
    const result = await adapter.execute(executionRequest({ tools: TOOLS, toolExecutor, systemPrompt: 'Be brief.' }));
    expect(result).toMatchObject({ status: 'ok', output: 'An apple.' });
    expect(llm.requests.map(({ protocol }) => protocol)).toEqual(['openai-responses', 'openai-responses']);
    expect(llm.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', text: 'an apple' });
    expect(llm.requests[0]!.body['store']).toBe(false);
  });

  it('lets go of the stream when the task is cancelled', async () => {
    const sent = deferred();
    const hold = new Promise<void>(() => undefined);
    const llm = await fakeLlm([{ text: ['One ', 'two'], beforeDelta: (index) => (index === 1 ? hold : undefined) }]);
    const adapter = adapterFor(llm);
    adapter.onEvent(({ type }) => type === 'execution.text' && sent.resolve());
    const running = adapter.execute(executionRequest());
    await sent.promise;
    await adapter.cancel('task-1');
    expect(await running).toMatchObject({ errorCode: 'cancelled', output: 'One ' });
    await expect.poll(() => llm.abandoned()).toBe(1);
  });

  it('refuses addresses that nobody may name', async () => {
    const llm = await fakeLlm();
    const choice: ModelChoice = {
      ...{ provider: 'anthropic', model: 'm', apiKey: null, baseUrl: 'http://169.254.169.254/v1', isOwnServer: true },
    };
    const models = { choose: () => choice, isConfigured: () => true };
    const adapter = new VercelAIProvider({ models, fetch: guarded.fetch, log: SILENT });
    const result = await adapter.execute(executionRequest());
    expect(result).toMatchObject({ status: 'error', errorCode: 'address_refused' });
    expect(llm.requests).toEqual([]);
  });

  it('says that no model is set up', async () => {
    const result = await bareAdapter().execute(executionRequest());
    expect(result).toMatchObject({ status: 'error', errorCode: 'model_not_configured' });
  });
});
