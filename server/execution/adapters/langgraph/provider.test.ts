import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../shared/secret.ts';
import type { ToolRequest } from '../../adapter.ts';
import type { ModelChoice, ModelSettings } from '../../models/model-settings.ts';
import { adapterContract, SILENT } from '../../testing/adapter-contract.ts';
import { deferred } from '../../testing/deferred.ts';
import { executionRequest } from '../../testing/execution-request.ts';
import { LangGraphProvider } from './provider.ts';

/** What LangGraph was given, as far as it is looked at here. */
interface Seen {
  model: unknown;
  agent: { prompt?: string; tools: { run: (args: unknown, call: unknown) => Promise<string> }[] } | null;
  input: { messages: unknown[] } | null;
  options: { signal: AbortSignal } | null;
}

type Script = (seen: Seen) => AsyncIterable<unknown> | Iterable<unknown>;

const piece = (content: unknown, more: object = {}) => [
  { type: 'ai', id: 'm1', content, ...more },
  { langgraph_node: 'agent' },
];

function* hello(): Generator {
  yield piece('Hel');
  yield piece([{ type: 'text', text: 'lo.' }], {
    usage_metadata: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
  });
}

/** Stands in for LangChain's packages, as far as their documented surface goes. */
function packages(script: Script): (name: string) => Promise<unknown> {
  const seen: Seen = { model: null, agent: null, input: null, options: null };
  // Called with `new`, as a class is.
  function ChatModel(settings: unknown): void {
    seen.model = settings;
  }
  const createReactAgent = (agent: Seen['agent']) => {
    seen.agent = agent;
    return {
      stream: (input: unknown, options: unknown) => {
        Object.assign(seen, { input, options });
        return Promise.resolve(script(seen));
      },
    };
  };
  const tool = (run: unknown, settings: object) => ({ run, ...settings });
  const all: Record<string, unknown> = {
    '@langchain/langgraph/prebuilt': { createReactAgent },
    '@langchain/core/tools': { tool },
    '@langchain/anthropic': { ChatAnthropic: ChatModel },
    '@langchain/openai': { ChatOpenAI: ChatModel },
  };
  return (name) =>
    name in all ? Promise.resolve(all[name]) : Promise.reject(new Error(`Cannot find package ${name}`));
}

function adapterWith(
  load: (name: string) => Promise<unknown>,
  provider: ModelChoice['provider'] = 'anthropic',
): LangGraphProvider {
  const choice: ModelChoice = {
    ...{ provider, model: 'fake', apiKey: new Secret('sk-key'), baseUrl: 'http://127.0.0.1:1/v1', isOwnServer: true },
  };
  const models = { choose: () => choice, isConfigured: () => true } as unknown as ModelSettings;
  return new LangGraphProvider({ models, fetch, log: SILENT, load });
}

const initialised = async (adapter: LangGraphProvider) => {
  await adapter.initialize({});
  return adapter;
};
const missing = () => Promise.reject(new Error('Cannot find package'));

adapterContract({
  provider: 'langgraph',
  profile: {
    capabilities: ['streaming', 'cost_tracking'],
    nativeTools: [],
    maxConcurrent: 10,
    outputStrategies: ['stream'],
    costTier: 'medium',
    latencyProfile: 'moderate',
  },
  bare: () => initialised(adapterWith(missing)),
  bareHealth: 'offline',
  ready: () => initialised(adapterWith(packages(hello))),
  stuck: async () => {
    const { promise: reached, resolve } = deferred();
    const stuck: Script = async function* ({ options }) {
      resolve();
      await new Promise((_resolve, reject) =>
        options!.signal.addEventListener('abort', () => reject(new Error('Aborted'))),
      );
      yield null;
    };
    return { adapter: await initialised(adapterWith(packages(stuck))), reached };
  },
});

describe('K-24 langgraph', () => {
  it('says which package is missing', async () => {
    const result = await adapterWith(missing).execute(executionRequest());
    expect(result).toMatchObject({
      errorCode: 'runtime_offline',
      error: 'the package @langchain/langgraph/prebuilt is not installed',
    });
    const google = await adapterWith(packages(hello), 'google').execute(executionRequest());
    expect(google).toMatchObject({ error: 'the package @langchain/google is not installed' });
  });

  it('calls tools through the executor, counts tokens, and answers with the last message', async () => {
    const asked: ToolRequest[] = [];
    const working: Script = async function* ({ agent }) {
      yield piece('A moment.', { usage_metadata: { input_tokens: 9, output_tokens: 2, total_tokens: 11 } });
      const text = await agent!.tools[0]!.run({ id: '7' }, { toolCall: { id: 'c1' } });
      yield [{ type: 'tool', content: text }, {}];
      yield [{ getType: () => 'ai', id: 'm2', content: `It is ${text}.` }, {}];
      yield piece('', { id: 'm2', usage_metadata: { input_tokens: 20, output_tokens: 4, total_tokens: 24 } });
    };
    const toolExecutor = (request: ToolRequest) => {
      asked.push(request);
      return Promise.resolve({ ok: true, text: 'an apple' });
    };
    const tools = [{ name: 'demo__get', description: 'Get.', inputSchema: { type: 'object' } }];
    const result = await adapterWith(packages(working)).execute(executionRequest({ tools, toolExecutor }));
    expect(asked).toEqual([{ id: 'c1', name: 'demo__get', args: { id: '7' } }]);
    expect(result).toMatchObject({
      output: 'It is an apple.',
      usage: { inputTokens: 29, outputTokens: 6, totalTokens: 35 },
    });
  });

  it('hands over the prompt, what was said before, and how to reach the model', async () => {
    let seen: Seen | null = null;
    const watching: Script = function* (all) {
      seen = all;
      yield piece('Yes.');
    };
    await adapterWith(packages(watching)).execute(
      executionRequest({
        systemPrompt: 'Be brief.',
        history: [
          { role: 'user', text: 'Get 7.' },
          { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'demo__get', args: {} }] },
          { role: 'tool', results: [{ id: 'c1', name: 'demo__get', text: 'an apple', ok: true }] },
        ],
      }),
    );
    expect(seen!.agent!.prompt).toBe('Be brief.');
    expect(seen!.model).toMatchObject({ model: 'fake', apiKey: 'sk-key', anthropicApiUrl: 'http://127.0.0.1:1' });
    expect(seen!.input!.messages).toEqual([
      { role: 'user', content: 'Get 7.' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'demo__get', args: {}, type: 'tool_call' }] },
      { role: 'tool', tool_call_id: 'c1', name: 'demo__get', content: 'an apple' },
      { role: 'user', content: 'Hello?' },
    ]);
  });
});
