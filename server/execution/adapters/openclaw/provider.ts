import { ForgeError } from '../../../../shared/errors.ts';
import type { JsonValue } from '../../../../shared/json.ts';
import type {
  AdapterConfig,
  AdapterHealthStatus,
  EventBus,
  ExecutionEventListener,
  ExecutionRequest,
} from '../../adapter.ts';
import type { RunContext, RunOutcome } from '../../base-adapter.ts';
import type { GatewayCapabilityProfile } from '../../capabilities.ts';
import { configText } from '../../config-text.ts';
import type { AdapterDeps } from '../../loading/registry.ts';
import { RuntimeSessions, withHistory } from '../../runtime-sessions.ts';
import { GatewayClient, type AgentEvent } from './gateway-client.ts';
import { OpenClawManagement } from './management.ts';

const GATEWAY_URL = 'ws://127.0.0.1:18789';

/** OpenClaw's daemon, through its WebSocket gateway: it has tools, agents and skills of its own. */
export class OpenClawProvider extends OpenClawManagement {
  readonly provider = 'openclaw';
  readonly #deps: Pick<AdapterDeps, 'openSocket' | 'protect'>;
  readonly #sessions = new RuntimeSessions();
  #gateway: GatewayClient;
  #relay: ExecutionEventListener | null = null;

  constructor(deps: Pick<AdapterDeps, 'openSocket' | 'protect' | 'log'>) {
    super(deps.log);
    this.#deps = deps;
    this.#gateway = new GatewayClient({ url: GATEWAY_URL, token: undefined, openSocket: deps.openSocket });
  }

  initialize(config: AdapterConfig): Promise<void> {
    const url = configText(config, 'OPENCLAW_GATEWAY_URL') ?? GATEWAY_URL;
    const token = configText(config, 'OPENCLAW_GATEWAY_TOKEN');
    if (token === undefined)
      this.log.warn('openclaw: OPENCLAW_GATEWAY_TOKEN is not set; the gateway may refuse to talk');
    else this.#deps.protect(token);
    this.#gateway = new GatewayClient({ url, token, openSocket: this.#deps.openSocket });
    return Promise.resolve();
  }

  override async shutdown(): Promise<void> {
    await super.shutdown();
    this.#gateway.close();
  }

  async checkHealth(): Promise<AdapterHealthStatus> {
    try {
      const { ok } = await this.ask('health');
      return ok === false ? 'degraded' : 'healthy';
    } catch {
      // Whoever gives it a task is told why.
      return 'offline';
    }
  }

  capabilities(): GatewayCapabilityProfile {
    return {
      capabilities: ['streaming', 'session_resume', 'file_io', 'sandboxing', 'subagents', 'management'],
      nativeTools: ['read', 'write', 'edit', 'exec', 'browser'],
      maxConcurrent: 4,
      outputStrategies: ['stream'],
      costTier: 'medium',
      latencyProfile: 'variable',
    };
  }

  /** The connection is there before the first task, and its events go to the bus. */
  startEventRelay(eventBus: EventBus): void {
    this.#relay = (event) => eventBus.publish(event);
    this.onEvent(this.#relay);
    this.#gateway.connect().catch((error: unknown) => this.log.warn(`openclaw: ${String(error)}`));
  }

  stopEventRelay(): void {
    if (this.#relay !== null) this.offEvent(this.#relay);
    this.#relay = null;
  }

  protected ask(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.#gateway.request(method, params);
  }

  protected async run(request: ExecutionRequest, context: RunContext): Promise<RunOutcome> {
    const { taskId, model, systemPrompt, timeoutSeconds } = request;
    const agent = (await this.listAgents()).find(({ id }) => id === request.agentId);
    const known = this.#sessions.take(request);
    const name = known ?? newSession(request);
    const message = known === undefined ? withHistory(request) : request.message;
    this.#sessions.keep(request, name);
    const sessionKey = `agent:${agent?.id ?? 'main'}:forge:${name}`;
    if (model !== '') await this.ask('sessions.patch', { key: sessionKey, model });
    const followed = new FollowedRun(this.#gateway, context);
    try {
      const { runId } = await this.ask('agent', {
        ...{ message, sessionKey, deliver: false, idempotencyKey: taskId, timeout: Math.ceil(timeoutSeconds) },
        ...(agent === undefined ? {} : { agentId: agent.id }),
        ...(systemPrompt === '' ? {} : { extraSystemPrompt: systemPrompt }),
      });
      if (typeof runId !== 'string') throw new ForgeError('runtime_failed', 'OpenClaw started no run');
      const abort = () => void this.ask('chat.abort', { sessionKey, runId }).catch(() => undefined);
      if (context.signal.aborted) abort();
      context.signal.addEventListener('abort', abort, { once: true });
      return { output: await followed.end(runId), modelProvider: 'openclaw', ...(model === '' ? {} : { model }) };
    } finally {
      followed.leave();
    }
  }
}

/** A conversation that is told from its beginning gets a session that holds nothing yet; another goes on where the daemon left it. */
function newSession({ taskId, sessionId, history }: ExecutionRequest): string {
  if (sessionId === undefined) return taskId;
  return history === undefined ? sessionId : `${sessionId}:${taskId}`;
}

/** Hears the gateway from before the run is known, and sorts out what belongs to it. */
class FollowedRun {
  readonly #context: RunContext;
  readonly #early: AgentEvent[] = [];
  readonly #ended: Promise<string>;
  readonly leave: () => void;
  #runId: string | null = null;
  #text = '';
  #resolve: (text: string) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(gateway: GatewayClient, context: RunContext) {
    this.#context = context;
    this.#ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever waits for the end sees it; a run that never began has nobody waiting.
    this.#ended.catch(() => undefined);
    this.leave = gateway.listen(
      (event) => this.#hear(event),
      (error) => this.#reject(error),
    );
    const stop = (): void => this.#reject(context.signal.reason);
    if (context.signal.aborted) stop();
    context.signal.addEventListener('abort', stop, { once: true });
  }

  end(runId: string): Promise<string> {
    this.#runId = runId;
    for (const event of this.#early.splice(0)) this.#hear(event);
    return this.#ended;
  }

  #hear(event: AgentEvent): void {
    if (this.#runId === null) this.#early.push(event);
    else if (event.runId === this.#runId) this.#take(event);
  }

  #take({ stream, data }: AgentEvent): void {
    if (stream === 'assistant') this.#say(data);
    if (stream === 'tool') this.#showTool(data);
    if (stream === 'lifecycle' && data['phase'] === 'end') this.#resolve(this.#text);
    if (stream === 'lifecycle' && data['phase'] === 'error')
      this.#reject(new ForgeError('runtime_failed', textAt(data, 'error') || 'OpenClaw’s run failed'));
  }

  /** `text` is all of it so far, `delta` what is new. */
  #say(data: Record<string, unknown>): void {
    const all = textAt(data, 'text');
    const delta = textAt(data, 'delta') || (all.startsWith(this.#text) ? all.slice(this.#text.length) : '');
    this.#text = all || this.#text + delta;
    this.#context.note({ output: this.#text });
    if (delta !== '') this.#context.emit({ type: 'execution.text', data: { text: delta } });
  }

  #showTool(data: Record<string, unknown>): void {
    const { emit } = this.#context;
    const [id, name] = [textAt(data, 'toolCallId'), textAt(data, 'name')];
    if (data['phase'] === 'start')
      // What came in a frame was JSON.
      emit({
        type: 'execution.tool_call',
        data: { id, name, args: (data['args'] ?? null) as JsonValue, native: true },
      });
    if (data['phase'] === 'result') {
      const text = typeof data['result'] === 'string' ? data['result'] : JSON.stringify(data['result'] ?? '');
      const ok = data['isError'] !== true;
      emit({ type: 'execution.tool_result', data: { id, name, ok, text, durationMs: 0, native: true } });
    }
  }
}

function textAt(data: Record<string, unknown>, name: string): string {
  const text = data[name];
  return typeof text === 'string' ? text : '';
}
