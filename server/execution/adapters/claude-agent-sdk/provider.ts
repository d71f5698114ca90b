import os from 'node:os';
import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import { NO_USAGE, type AdapterConfig, type AdapterHealthStatus, type ExecutionRequest } from '../../adapter.ts';
import { modelFailure } from '../../ai-sdk/model-failure.ts';
import { BaseAdapter, type RunContext, type RunOutcome } from '../../base-adapter.ts';
import type { GatewayCapabilityProfile } from '../../capabilities.ts';
import { configText } from '../../config-text.ts';
import type { AdapterDeps } from '../../loading/registry.ts';
import { isInstalled, requireModule, type LoadModule } from '../../optional-module.ts';
import { RuntimeSessions, withHistory } from '../../runtime-sessions.ts';
import { toolServer } from './tool-server.ts';

const PACKAGE = '@anthropic-ai/claude-agent-sdk';
const OWN_TOOLS = 'mcp__forge__';
const MAX_TURNS = 50;
/** What the SDK's own process needs to run at all. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'TMPDIR', 'LANG', 'SystemRoot', 'APPDATA', 'USERPROFILE'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'NODE_EXTRA_CA_CERTS'],
];
/** By itself it reports on its use, looks for a newer version of itself, and hides tools behind a search that is one of its own tools. */
const HABITS_OFF = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ENABLE_TOOL_SEARCH: 'false' };

type Message = Record<string, unknown>;
type Query = (given: { prompt: string; options: Record<string, unknown> }) => AsyncIterable<unknown>;

type Deps = Pick<AdapterDeps, 'models' | 'log' | 'load'>;

/**
 * Anthropic's Claude Agent SDK, where it is installed. Its own tools are off unless a person lists them in
 * CLAUDE_AGENT_SDK_TOOLS: they would run past Forge's approvals.
 */
export class ClaudeAgentSDKProvider extends BaseAdapter {
  readonly provider = 'claude-agent-sdk';
  readonly #models: Deps['models'];
  readonly #load: LoadModule;
  readonly #sessions = new RuntimeSessions();
  #nativeTools: string[] = [];
  #environment: Record<string, string> = {};
  /** Where it works; Forge's own folder is nothing to tell a model of. */
  #folder = os.tmpdir();

  constructor({ models, log, load }: Deps) {
    super(log);
    this.#models = models;
    this.#load = load;
  }

  async initialize(config: AdapterConfig): Promise<void> {
    this.#nativeTools = (configText(config, 'CLAUDE_AGENT_SDK_TOOLS') ?? '')
      .split(',')
      .flatMap((name) => name.trim() || []);
    this.#folder = configText(config, 'CLAUDE_AGENT_SDK_FOLDER') ?? os.tmpdir();
    const passed = PASSED_ON.map((name) => [name, configText(config, name)] as const);
    this.#environment = Object.fromEntries(
      passed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    if (!(await isInstalled(this.#load, PACKAGE))) this.log.warn(`claude-agent-sdk: ${PACKAGE} is not installed`);
  }

  async checkHealth(): Promise<AdapterHealthStatus> {
    if (!(await isInstalled(this.#load, PACKAGE))) return 'offline';
    return this.#connection() === null ? 'degraded' : 'healthy';
  }

  capabilities(): GatewayCapabilityProfile {
    return {
      capabilities: ['streaming', 'session_resume', 'file_io', 'mcp_servers', 'subagents', 'cost_tracking'],
      nativeTools: [...this.#nativeTools],
      maxConcurrent: 5,
      outputStrategies: ['stream'],
      costTier: 'high',
      latencyProfile: 'moderate',
    };
  }

  protected override describeFailure(error: unknown): { errorCode: string; error: string } {
    return modelFailure(error);
  }

  protected async run(request: ExecutionRequest, context: RunContext): Promise<RunOutcome> {
    const module = await requireModule(this.#load, PACKAGE);
    const query: unknown = isRecord(module) ? module['query'] : undefined;
    if (typeof query !== 'function') throw new ForgeError('runtime_failed', `${PACKAGE} has no query()`);
    context.note({ modelProvider: 'anthropic' });
    const known = this.#sessions.take(request);
    const prompt = known === undefined ? withHistory(request) : request.message;
    // Its types are not there where the package is not; what it says is checked message by message.
    const messages = (query as Query)({ prompt, options: this.#options(request, known, context.signal) });
    let outcome: RunOutcome = {};
    for await (const message of messages) {
      if (!isRecord(message)) continue;
      if (typeof message['session_id'] === 'string') this.#sessions.keep(request, message['session_id']);
      outcome = { ...outcome, ...takeMessage(message, context) };
    }
    // It prices whatever it is told to ask as one of Anthropic's own models.
    return this.#connection()?.isOwnServer === true ? { ...outcome, costUsd: undefined } : outcome;
  }

  #options(request: ExecutionRequest, resume: string | undefined, signal: AbortSignal): Record<string, unknown> {
    const abortController = new AbortController();
    signal.addEventListener('abort', () => abortController.abort(), { once: true });
    const allowed = new Set(this.#nativeTools);
    return {
      abortController,
      ...(request.systemPrompt === '' ? {} : { systemPrompt: request.systemPrompt }),
      ...(request.model === '' ? {} : { model: request.model.replace(/^anthropic\//, '') }),
      ...(resume === undefined ? {} : { resume }),
      cwd: this.#folder,
      mcpServers: { forge: toolServer(request) },
      tools: this.#nativeTools,
      // The person's own settings may allow more than Forge does.
      settingSources: [],
      canUseTool: (name: string, input: unknown) =>
        Promise.resolve(
          name.startsWith(OWN_TOOLS) || allowed.has(name)
            ? { behavior: 'allow', updatedInput: input }
            : { behavior: 'deny', message: `${name} is not available here` },
        ),
      includePartialMessages: true,
      maxTurns: MAX_TURNS,
      env: { ...this.#environment, ...HABITS_OFF, ...this.#access() },
    };
  }

  #connection() {
    try {
      return this.#models.connection('anthropic');
    } catch {
      // No key is set up; the SDK may still find a login of its own.
      return null;
    }
  }

  /** The SDK adds the version to the address by itself. */
  #access(): Record<string, string> {
    const connection = this.#connection();
    if (connection === null) return {};
    const { apiKey, baseUrl, isOwnServer } = connection;
    return {
      ...(apiKey === null ? {} : { ANTHROPIC_API_KEY: apiKey.reveal() }),
      ...(isOwnServer ? { ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/, '') } : {}),
    };
  }
}

function takeMessage(message: Message, { emit }: RunContext): RunOutcome {
  if (message['type'] === 'stream_event') tellDelta(message, emit);
  if (message['type'] === 'system' && typeof message['model'] === 'string') return { model: message['model'] };
  if (message['type'] !== 'result') return {};
  const { result, usage, total_cost_usd: cost } = message;
  if (message['is_error'] === true || message['subtype'] !== 'success')
    throw new Error(
      typeof result === 'string' && result !== '' ? result : `the SDK ended with ${String(message['subtype'])}`,
    );
  return {
    output: typeof result === 'string' ? result : '',
    ...(isRecord(usage) ? { usage: usageOf(usage) } : {}),
    ...(typeof cost === 'number' ? { costUsd: cost } : {}),
  };
}

/** What a subagent says is not the answer. */
function tellDelta({ event, parent_tool_use_id: parent }: Message, emit: RunContext['emit']): void {
  const delta = isRecord(event) ? event['delta'] : undefined;
  if (!isRecord(delta) || (parent !== null && parent !== undefined)) return;
  const { type, text, thinking } = delta;
  if (type === 'text_delta' && typeof text === 'string') emit({ type: 'execution.text', data: { text } });
  if (type === 'thinking_delta' && typeof thinking === 'string')
    emit({ type: 'execution.thinking', data: { text: thinking } });
}

function usageOf(usage: Message) {
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : null);
  const [fresh, output] = [count('input_tokens'), count('output_tokens')];
  const [read, written] = [count('cache_read_input_tokens'), count('cache_creation_input_tokens')];
  // Anthropic counts what its cache holds apart; everywhere else it is part of the input.
  const input = fresh === null ? null : fresh + (read ?? 0) + (written ?? 0);
  return {
    ...NO_USAGE,
    ...{ inputTokens: input, outputTokens: output, cacheReadTokens: read, cacheWriteTokens: written },
    totalTokens: input === null || output === null ? null : input + output,
  };
}
