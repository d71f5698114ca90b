import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import {
  NO_USAGE,
  type AdapterConfig,
  type AdapterHealthStatus,
  type ExecutionRequest,
  type HistoryMessage,
  type NormalizedUsage,
} from '../../adapter.ts';
import { modelFailure } from '../../ai-sdk/model-failure.ts';
import { BaseAdapter, type RunContext, type RunOutcome } from '../../base-adapter.ts';
import type { GatewayCapabilityProfile } from '../../capabilities.ts';
import type { AdapterDeps } from '../../loading/registry.ts';
import { isInstalled, requireModule, type LoadModule } from '../../optional-module.ts';
import { chatModel } from './chat-models.ts';

const PREBUILT = '@langchain/langgraph/prebuilt';
const TOOLS = '@langchain/core/tools';
/** Rounds of a graph, a model and its tools counted apart. */
const MAX_ROUNDS = 100;

type Deps = Pick<AdapterDeps, 'models' | 'fetch' | 'log' | 'load'>;

interface Agent {
  stream(input: unknown, options: unknown): Promise<AsyncIterable<unknown>>;
}

type Made = (settings: unknown) => Agent;
type MakeTool = (run: unknown, settings: unknown) => unknown;

/** LangGraph's agent loop, where its packages are installed; every tool is one of Forge's. */
export class LangGraphProvider extends BaseAdapter {
  readonly provider = 'langgraph';
  readonly #models: Deps['models'];
  readonly #fetch: Deps['fetch'];
  readonly #load: LoadModule;

  constructor({ models, fetch, log, load }: Deps) {
    super(log);
    this.#models = models;
    this.#fetch = fetch;
    this.#load = load;
  }

  async initialize(_config: AdapterConfig): Promise<void> {
    if (!(await isInstalled(this.#load, PREBUILT))) this.log.warn('langgraph: @langchain/langgraph is not installed');
  }

  async checkHealth(): Promise<AdapterHealthStatus> {
    if (!(await isInstalled(this.#load, PREBUILT))) return 'offline';
    return this.#models.isConfigured() ? 'healthy' : 'degraded';
  }

  capabilities(): GatewayCapabilityProfile {
    return {
      capabilities: ['streaming', 'cost_tracking'],
      nativeTools: [],
      maxConcurrent: 10,
      outputStrategies: ['stream'],
      costTier: 'medium',
      latencyProfile: 'moderate',
    };
  }

  protected override describeFailure(error: unknown): { errorCode: string; error: string } {
    return modelFailure(error);
  }

  protected async run(request: ExecutionRequest, { signal, emit, note }: RunContext): Promise<RunOutcome> {
    const createReactAgent = await this.#export<Made>(PREBUILT, 'createReactAgent');
    const choice = this.#models.choose(request.model);
    note({ model: choice.model, modelProvider: choice.provider });
    const agent = createReactAgent({
      llm: await chatModel(choice, this.#load, this.#fetch),
      tools: await this.#tools(request),
      ...(request.systemPrompt === '' ? {} : { prompt: request.systemPrompt }),
    });
    const stream = await agent.stream(
      { messages: messagesOf(request) },
      { streamMode: 'messages', signal, recursionLimit: MAX_ROUNDS },
    );
    const answer = new Answer();
    for await (const part of stream) {
      const text = answer.take(part);
      if (text !== '') emit({ type: 'execution.text', data: { text } });
      note({ output: answer.text, usage: answer.usage });
    }
    return { output: answer.text, usage: answer.usage };
  }

  async #tools({ tools, toolExecutor }: ExecutionRequest): Promise<unknown[]> {
    if (tools.length === 0) return [];
    const tool = await this.#export<MakeTool>(TOOLS, 'tool');
    return tools.map(({ name, description, inputSchema: schema }) =>
      tool(
        async (args: unknown, call: unknown) => {
          const id = isRecord(call) && isRecord(call['toolCall']) ? call['toolCall']['id'] : undefined;
          return (await toolExecutor({ id: typeof id === 'string' ? id : name, name, args })).text;
        },
        { name, description, schema },
      ),
    );
  }

  async #export<F>(name: string, exported: string): Promise<F> {
    const module = await requireModule(this.#load, name);
    const found: unknown = isRecord(module) ? module[exported] : undefined;
    if (typeof found !== 'function') throw new ForgeError('runtime_failed', `${name} has no ${exported}`);
    return found as F; // its types are not there where the package is not
  }
}

/** Puts the pieces together that come as `[piece of a message, where it comes from]`. */
class Answer {
  text = '';
  usage: NormalizedUsage = NO_USAGE;
  #messageId: unknown;

  take(part: unknown): string {
    const message: unknown = Array.isArray(part) ? part[0] : undefined;
    if (!isRecord(message) || !isFromModel(message)) return '';
    this.#count(message['usage_metadata']);
    const text = textOf(message['content']);
    // The last message is the answer; the ones before it asked for tools.
    if (text !== '' && message['id'] !== this.#messageId) {
      this.#messageId = message['id'];
      this.text = '';
    }
    this.text += text;
    return text;
  }

  #count(usage: unknown): void {
    if (!isRecord(usage)) return;
    const cache = isRecord(usage['input_token_details']) ? usage['input_token_details'] : {};
    const details = isRecord(usage['output_token_details']) ? usage['output_token_details'] : {};
    const add = (sum: number | null, value: unknown) => (typeof value === 'number' ? (sum ?? 0) + value : sum);
    this.usage = {
      inputTokens: add(this.usage.inputTokens, usage['input_tokens']),
      outputTokens: add(this.usage.outputTokens, usage['output_tokens']),
      totalTokens: add(this.usage.totalTokens, usage['total_tokens']),
      thinkingTokens: add(this.usage.thinkingTokens, details['reasoning']),
      cacheReadTokens: add(this.usage.cacheReadTokens, cache['cache_read']),
      cacheWriteTokens: add(this.usage.cacheWriteTokens, cache['cache_creation']),
    };
  }
}

/** Results of tools are messages, too. */
function isFromModel(message: Record<string, unknown>): boolean {
  const kind: unknown =
    message['type'] ?? (typeof message['getType'] === 'function' ? (message['getType'] as () => unknown)() : '');
  return kind === 'ai';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isRecord(part) && part['type'] === 'text' ? String(part['text']) : ''))
    .join('');
}

function messagesOf({ history = [], message }: ExecutionRequest): unknown[] {
  return [...history.flatMap(messageOf), { role: 'user', content: message }];
}

function messageOf(message: HistoryMessage): unknown[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }];
    case 'assistant': {
      const { text, toolCalls = [] } = message;
      const tool_calls = toolCalls.map(({ id, name, args }) => ({ id, name, args, type: 'tool_call' }));
      return [{ role: 'assistant', content: text, ...(tool_calls.length === 0 ? {} : { tool_calls }) }];
    }
    case 'tool':
      return message.results.map(({ id, name, text }) => ({ role: 'tool', tool_call_id: id, name, content: text }));
  }
}
