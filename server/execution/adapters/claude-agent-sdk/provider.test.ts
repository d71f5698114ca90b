import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../../../shared/errors.ts';
import { Secret } from '../../../../shared/secret.ts';
import type { ExecutionEvent, HistoryMessage, ToolRequest } from '../../adapter.ts';
import type { ModelSettings } from '../../models/model-settings.ts';
import { adapterContract, SILENT } from '../../testing/adapter-contract.ts';
import { deferred } from '../../testing/deferred.ts';
import { executionRequest } from '../../testing/execution-request.ts';
import { connectTools, type SdkOptions } from '../../testing/sdk-tools.ts';
import { ClaudeAgentSDKProvider } from './provider.ts';

type Query = (given: { prompt: string; options: SdkOptions }) => AsyncIterable<unknown> | Iterable<unknown>;

const delta = (text: string) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', delta: { type: 'text_delta', text } },
  parent_tool_use_id: null,
});
const result = (text: string) => ({
  ...{ type: 'result', subtype: 'success', is_error: false, result: text, session_id: 'sdk-session' },
  ...{ total_cost_usd: 0.25, usage: { input_tokens: 8, output_tokens: 2, cache_read_input_tokens: 5 } },
});

function* hello(): Generator {
  yield { type: 'system', subtype: 'init', model: 'claude-fake', session_id: 'sdk-session' };
  yield delta('Hel');
  yield delta('lo.');
  yield result('Hello.');
}

/** Stands in for the package, as far as its documented surface goes. */
const sdk = (query: Query) => () => Promise.resolve({ query });
const missing = () => Promise.reject(new Error('Cannot find package'));

function models(isSetUp: boolean, isOwnServer: boolean): ModelSettings {
  const connection = () => {
    if (!isSetUp) throw new ForgeError('model_not_configured', 'no key');
    return { provider: 'anthropic', apiKey: new Secret('sk-key'), baseUrl: 'http://127.0.0.1:1/v1', isOwnServer };
  };
  return { connection } as unknown as ModelSettings;
}

async function adapterWith(
  load: () => Promise<unknown>,
  config: Record<string, string> = {},
  isSetUp = true,
  isOwnServer = true,
) {
  const adapter = new ClaudeAgentSDKProvider({ models: models(isSetUp, isOwnServer), log: SILENT, load });
  await adapter.initialize(config);
  return adapter;
}

adapterContract({
  provider: 'claude-agent-sdk',
  profile: {
    capabilities: ['streaming', 'session_resume', 'file_io', 'mcp_servers', 'subagents', 'cost_tracking'],
    nativeTools: [],
    maxConcurrent: 5,
    outputStrategies: ['stream'],
    costTier: 'high',
    latencyProfile: 'moderate',
  },
  bare: () => adapterWith(missing),
  bareHealth: 'offline',
  ready: () => adapterWith(sdk(hello)),
  stuck: async () => {
    const { promise: reached, resolve } = deferred();
    const stuck: Query = async function* ({ options }) {
      resolve();
      await new Promise((_resolve, reject) => {
        options.abortController.signal.addEventListener('abort', () => reject(new Error('aborted by user')));
      });
      yield null;
    };
    return { adapter: await adapterWith(sdk(stuck)), reached };
  },
});

describe('E-34 K-24 claude-agent-sdk', () => {
  it('says how to get the package where it is missing, and that it has no key', async () => {
    expect(await (await adapterWith(missing)).execute(executionRequest())).toMatchObject({
      status: 'error',
      errorCode: 'runtime_offline',
      error: 'the package @anthropic-ai/claude-agent-sdk is not installed',
    });
    expect(await (await adapterWith(sdk(hello), {}, false)).checkHealth()).toBe('degraded');
  });

  it('tells tokens and cost, and streams', async () => {
    const adapter = await adapterWith(sdk(hello), {}, true, false);
    const events: ExecutionEvent[] = [];
    adapter.onEvent((event) => events.push(event));
    expect(await adapter.execute(executionRequest())).toMatchObject({
      ...{ output: 'Hello.', model: 'claude-fake', modelProvider: 'anthropic', costUsd: 0.25 },
      usage: { inputTokens: 13, outputTokens: 2, totalTokens: 15, cacheReadTokens: 5 },
    });
    expect(events.filter(({ type }) => type === 'execution.text')).toHaveLength(2);
    // On another server the models are others, and so is their price.
    expect((await (await adapterWith(sdk(hello))).execute(executionRequest())).costUsd).toBeUndefined();
  });

  it('has Forge’s tools called through the executor, and nothing else', async () => {
    const asked: ToolRequest[] = [];
    let answers: unknown[] = [];
    const working: Query = async function* ({ options }) {
      const ask = await connectTools(options);
      answers = [
        await ask('initialize', { protocolVersion: '2025-06-18' }),
        await ask('tools/list'),
        await ask('tools/call', { name: 'demo__get', arguments: { id: '7' } }),
        await ask('resources/list'),
        await options.canUseTool('mcp__forge__demo__get', { id: '7' }),
        await options.canUseTool('Bash', { command: 'rm -rf /' }),
      ];
      yield result('Done.');
    };
    const adapter = await adapterWith(sdk(working));
    const tools = [{ name: 'demo__get', description: 'Get.', inputSchema: { type: 'object' } }];
    const toolExecutor = (request: ToolRequest) => {
      asked.push(request);
      return Promise.resolve({ ok: false, text: 'login_required' });
    };
    await adapter.execute(executionRequest({ tools, toolExecutor }));
    expect(asked).toMatchObject([{ name: 'demo__get', args: { id: '7' } }]);
    expect(answers).toMatchObject([
      { result: { serverInfo: { name: 'forge' } } },
      { result: { tools: [{ name: 'demo__get' }] } },
      { result: { content: [{ type: 'text', text: 'login_required' }], isError: true } },
      { error: { code: -32601 } },
      { behavior: 'allow' },
      { behavior: 'deny' },
    ]);
  });

  it('gives it what it needs, and not the whole environment', async () => {
    let given: { prompt: string; options: SdkOptions } | null = null;
    const watching: Query = function* (call) {
      given = call;
      yield result('Yes.');
    };
    const adapter = await adapterWith(sdk(watching), {
      PATH: '/bin',
      AWS_SECRET: 'x',
      CLAUDE_AGENT_SDK_TOOLS: 'Read, Glob',
    });
    await adapter.execute(
      executionRequest({
        model: 'anthropic/claude-x',
        systemPrompt: 'Be brief.',
        history: [{ role: 'user', text: 'Hi.' }],
      }),
    );
    expect(given!.prompt).toBe('What was said before:\n\nPerson: Hi.\n\nPerson: Hello?');
    expect(given!.options).toMatchObject({
      ...{ model: 'claude-x', systemPrompt: 'Be brief.', tools: ['Read', 'Glob'], settingSources: [] },
      env: { PATH: '/bin', ANTHROPIC_API_KEY: 'sk-key', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
    });
    expect(given!.options.env).not.toHaveProperty('AWS_SECRET');
    expect(adapter.capabilities().nativeTools).toEqual(['Read', 'Glob']);
  });

  it('resumes a conversation it knows', async () => {
    const calls: { prompt: string; resume: unknown }[] = [];
    const watching: Query = function* ({ prompt, options }) {
      calls.push({ prompt, resume: options.resume });
      yield result('Yes.');
    };
    const adapter = await adapterWith(sdk(watching));
    const said: HistoryMessage[] = [
      { role: 'user', text: 'Hello?' },
      { role: 'assistant', text: 'Yes.', taskId: 'task-1' },
    ];
    const ask = (history: HistoryMessage[], message: string) =>
      adapter.execute(executionRequest({ sessionId: 'sess_1', history, message }));
    await ask([], 'Hello?');
    await ask(said, 'And?');
    expect(calls[1]).toEqual({ prompt: 'And?', resume: 'sdk-session' });
    // What was taken back is not gone on with.
    await ask([], 'Instead.');
    expect(calls[2]).toEqual({ prompt: 'Instead.', resume: undefined });
  });

  it('says why it ended badly', async () => {
    const failing: Query = function* () {
      yield { type: 'result', subtype: 'error_max_turns', is_error: true };
    };
    const outcome = await (await adapterWith(sdk(failing))).execute(executionRequest());
    expect(outcome).toMatchObject({ status: 'error', error: 'the SDK ended with error_max_turns' });
  });
});
