import { ForgeError, isForgeError } from '../../../../shared/errors.ts';
import { isRecord, ownValue } from '../../../../shared/json.ts';
import { NO_USAGE, type AdapterConfig, type AdapterHealthStatus, type ExecutionRequest } from '../../adapter.ts';
import { BaseAdapter, type RunContext, type RunOutcome } from '../../base-adapter.ts';
import type { GatewayCapabilityProfile } from '../../capabilities.ts';
import { configText } from '../../config-text.ts';
import type { AdapterDeps } from '../../loading/registry.ts';
import type { DiscoveredAgent, DiscoveredModel, DiscoveredSkill, RuntimeDiscovery } from '../../managers.ts';
import { baseUrlOf } from '../../models/base-url.ts';
import { modelIds } from '../../models/model-list.ts';
import { createHermesApi, type HermesApi, type HermesEvent } from './api.ts';
import { modelsOf, skillsOf, textAt } from './discovered.ts';

const BASE_URL = 'http://127.0.0.1:8642/v1';

/**
 * Hermes Agent, through the runs of its API server, which shows agents, skills and models and changes none. It works with tools of its
 * own; Forge's are among them when Hermes is told of Forge as an MCP server.
 */
export class HermesAgentProvider extends BaseAdapter implements RuntimeDiscovery {
  readonly provider = 'hermes-agent';
  readonly #deps: Pick<AdapterDeps, 'fetch' | 'protect'>;
  #api: HermesApi;

  constructor(deps: Pick<AdapterDeps, 'fetch' | 'protect' | 'log'>) {
    super(deps.log);
    this.#deps = deps;
    this.#api = createHermesApi(BASE_URL, undefined, deps.fetch);
  }

  initialize(config: AdapterConfig): Promise<void> {
    const key = configText(config, 'HERMES_API_KEY');
    if (key === undefined) this.log.warn('hermes-agent: HERMES_API_KEY is not set; Hermes will refuse requests');
    else this.#deps.protect(key);
    const baseUrl = baseUrlOf(configText(config, 'HERMES_BASE_URL') ?? BASE_URL, '/v1');
    this.#api = createHermesApi(baseUrl, key, this.#deps.fetch);
    return Promise.resolve();
  }

  /** Its health needs no key, its models do. */
  async checkHealth(): Promise<AdapterHealthStatus> {
    try {
      await this.#api.health();
    } catch {
      return 'offline';
    }
    return this.#api.models().then(
      () => 'healthy',
      () => 'degraded',
    );
  }

  capabilities(): GatewayCapabilityProfile {
    return {
      capabilities: ['streaming', 'file_io', 'mcp_servers', 'native_tools'],
      nativeTools: ['terminal', 'browser', 'vision', 'memory'],
      maxConcurrent: 10,
      outputStrategies: ['stream'],
      costTier: 'medium',
      latencyProfile: 'variable',
    };
  }

  protected async run(request: ExecutionRequest, { signal, emit, note }: RunContext): Promise<RunOutcome> {
    const runId = await this.#api.startRun(runBody(request), signal);
    // Letting go of the stream does not end the run.
    signal.addEventListener('abort', () => void this.#api.stop(runId).catch(() => undefined), { once: true });
    let text = '';
    for await (const event of this.#api.events(runId, signal)) {
      if (event.event === 'message.delta') {
        const delta = textAt(event, 'delta');
        text += delta;
        note({ output: text });
        if (delta !== '') emit({ type: 'execution.text', data: { text: delta } });
      } else if (event.event === 'approval.request') {
        emit({ type: 'execution.warning', data: { message: 'Hermes asked for an approval, which was refused' } });
        await this.#api.deny(runId, approvalIds(event), signal);
      } else if (event.event === 'run.completed') {
        return { output: textAt(event, 'output') || text, ...usageOf(event['usage']), ...modelOf(event['runtime']) };
      } else if (event.event === 'run.failed' || event.event === 'run.cancelled') {
        throw new ForgeError('runtime_failed', textAt(event, 'error') || 'Hermes gave up');
      } else tellOther(event, emit);
    }
    throw new ForgeError('runtime_failed', 'Hermes’ answer broke off');
  }

  /** Each profile that is served shows as a model of the API server. */
  async discoverAgents(): Promise<DiscoveredAgent[]> {
    return modelIds(await this.#api.models()).map((id) => ({ id, name: id }));
  }

  /** Releases from before the list of providers show their profiles only. */
  async discoverModels(): Promise<DiscoveredModel[]> {
    try {
      return modelsOf(await this.#api.modelOptions());
    } catch (error) {
      if (!isForgeError(error) || ownValue(error.details, 'status') !== 404) throw error;
      return modelIds(await this.#api.models()).map((id) => ({ id, name: id, provider: 'hermes-agent' }));
    }
  }

  async discoverSkills(): Promise<DiscoveredSkill[]> {
    return skillsOf(await this.#api.skills());
  }
}

function runBody({ message, systemPrompt, sessionId, model, history = [] }: ExecutionRequest): Record<string, unknown> {
  const said = history.flatMap((entry) =>
    entry.role === 'tool' || entry.text === '' ? [] : [{ role: entry.role, content: entry.text }],
  );
  return {
    input: message,
    ...(systemPrompt === '' ? {} : { instructions: systemPrompt }),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(said.length === 0 ? {} : { conversation_history: said }),
    ...(model === '' ? {} : { model }),
  };
}

/** Its tools have no ids, and run one after the other. */
function tellOther(event: HermesEvent, emit: RunContext['emit']): void {
  const name = textAt(event, 'tool');
  if (event.event === 'reasoning.delta')
    emit({ type: 'execution.thinking', data: { text: textAt(event, 'delta') || textAt(event, 'text') } });
  if (event.event === 'tool.started')
    emit({ type: 'execution.tool_call', data: { id: name, name, args: textAt(event, 'preview'), native: true } });
  if (event.event === 'tool.completed') {
    const durationMs = typeof event['duration'] === 'number' ? event['duration'] * 1000 : 0;
    const data = { id: name, name, ok: event['error'] !== true, text: '', durationMs, native: true };
    emit({ type: 'execution.tool_result', data });
  }
}

function approvalIds(event: HermesEvent): Record<string, unknown> {
  const { request_id, approval_id } = event;
  return { ...(request_id === undefined ? {} : { request_id }), ...(approval_id === undefined ? {} : { approval_id }) };
}

function usageOf(usage: unknown): Pick<RunOutcome, 'usage'> {
  if (!isRecord(usage)) return {};
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : null);
  const [inputTokens, outputTokens] = [count('input_tokens'), count('output_tokens')];
  return { usage: { ...NO_USAGE, inputTokens, outputTokens, totalTokens: count('total_tokens') } };
}

function modelOf(runtime: unknown): Pick<RunOutcome, 'model' | 'modelProvider'> {
  if (!isRecord(runtime)) return { modelProvider: 'hermes' };
  return { model: textAt(runtime, 'model') || undefined, modelProvider: textAt(runtime, 'provider') || 'hermes' };
}
