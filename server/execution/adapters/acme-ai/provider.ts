import { environmentValue } from '../../../config.ts';
import type {
  AdapterConfig,
  AdapterHealthStatus,
  ExecutionAdapter,
  ExecutionEvent,
  ExecutionEventListener,
  ExecutionRequest,
  ExecutionResult,
  NormalizedUsage,
} from '../../adapter.ts';
import { CONSOLE_LOG, type AdapterLog } from '../../adapter-log.ts';
import type { GatewayCapabilityProfile } from '../../capabilities.ts';

/**
 * The example that the guide to adapters walks through, complete but for the call of a runtime that does not exist. It is built from
 * nothing but the interface; an adapter for a real runtime is shorter on top of BaseAdapter.
 */
export class AcmeAIProvider implements ExecutionAdapter {
  readonly provider = 'acme-ai';

  private readonly log: AdapterLog;
  private readonly eventListeners = new Set<ExecutionEventListener>();
  private readonly activeAbortControllers = new Map<string, AbortController>();
  private apiKey: string | undefined;

  constructor(log: AdapterLog = CONSOLE_LOG) {
    this.log = log;
  }

  initialize(config: AdapterConfig): Promise<void> {
    const given = config['ACME_AI_API_KEY'];
    this.apiKey = typeof given === 'string' ? given : environmentValue('ACME_AI_API_KEY');
    if (!this.apiKey) this.log.warn('[AcmeAIProvider] ACME_AI_API_KEY not set -- requests will fail');
    this.log.info(`[${new Date().toISOString()}] AcmeAIProvider initialized`);
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    for (const [taskId, controller] of this.activeAbortControllers) {
      controller.abort();
      this.log.info(`[${new Date().toISOString()}] Cancelled task ${taskId} on shutdown`);
    }
    this.activeAbortControllers.clear();
    this.log.info(`[${new Date().toISOString()}] AcmeAIProvider shut down`);
    return Promise.resolve();
  }

  checkHealth(): Promise<AdapterHealthStatus> {
    return Promise.resolve(this.apiKey ? 'healthy' : 'degraded');
  }

  capabilities(): GatewayCapabilityProfile {
    return {
      capabilities: ['streaming', 'cost_tracking'],
      nativeTools: [],
      maxConcurrent: 20,
      outputStrategies: ['stream'],
      costTier: 'low',
      latencyProfile: 'fast',
    };
  }

  async execute(request: ExecutionRequest): Promise<ExecutionResult> {
    const startedAt = Date.now();
    const abortController = new AbortController();
    this.activeAbortControllers.set(request.taskId, abortController);
    const timeout = setTimeout(() => abortController.abort(), request.timeoutSeconds * 1000);
    try {
      this.emitEvent({ type: 'execution.started', ...stamp(request) });
      const { text, usage } = await this.generate(request, abortController.signal);
      this.emitEvent({ type: 'execution.completed', ...stamp(request) });
      return {
        status: 'ok',
        output: text,
        durationMs: Date.now() - startedAt,
        usage,
        model: request.model,
        modelProvider: 'acme',
      };
    } catch (err) {
      const errorMsg = err instanceof Error ? err.message : String(err);
      this.log.error(`[${new Date().toISOString()}] Acme AI failed for task ${request.taskId}: ${errorMsg}`);
      this.emitEvent({ type: 'execution.failed', ...stamp(request), data: { error: errorMsg } });
      return {
        status: 'error',
        error: errorMsg,
        durationMs: Date.now() - startedAt,
        errorCode: errorMsg.includes('abort') ? 'cancelled' : undefined,
      };
    } finally {
      clearTimeout(timeout);
      this.activeAbortControllers.delete(request.taskId);
    }
  }

  cancel(taskHandle: string): Promise<boolean> {
    const controller = this.activeAbortControllers.get(taskHandle);
    if (controller === undefined) return Promise.resolve(false);
    controller.abort();
    this.activeAbortControllers.delete(taskHandle);
    return Promise.resolve(true);
  }

  onEvent(listener: ExecutionEventListener): void {
    this.eventListeners.add(listener);
  }

  offEvent(listener: ExecutionEventListener): void {
    this.eventListeners.delete(listener);
  }

  /** Where a runtime would be called with the request's message, prompt, model and tools, and with the signal. */
  protected generate(
    _request: ExecutionRequest,
    signal: AbortSignal,
  ): Promise<{ text: string; usage: NormalizedUsage }> {
    signal.throwIfAborted();
    const usage: NormalizedUsage = {
      inputTokens: null,
      outputTokens: null,
      thinkingTokens: null,
      totalTokens: null,
      cacheReadTokens: null,
      cacheWriteTokens: null,
    };
    return Promise.resolve({ text: '', usage });
  }

  private emitEvent(event: ExecutionEvent): void {
    for (const listener of this.eventListeners) {
      try {
        listener(event);
      } catch {
        // A listener's failure is not the task's.
      }
    }
  }
}

function stamp({ taskId, agentId }: ExecutionRequest): { taskId: string; agentId: string; timestamp: string } {
  return { taskId, agentId, timestamp: new Date().toISOString() };
}
