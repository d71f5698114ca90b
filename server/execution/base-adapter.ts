import { isForgeError } from '../../shared/errors.ts';
import type {
  AdapterConfig,
  AdapterHealthStatus,
  ExecutionAdapter,
  ExecutionEvent,
  ExecutionEventListener,
  ExecutionRequest,
  ExecutionResult,
} from './adapter.ts';
import { CONSOLE_LOG, type AdapterLog } from './adapter-log.ts';
import type { GatewayCapabilityProfile } from './capabilities.ts';

/** What a run came to. */
export type RunOutcome = Omit<ExecutionResult, 'status' | 'durationMs' | 'error' | 'errorCode'>;

type EventBody = ExecutionEvent extends infer E
  ? E extends ExecutionEvent
    ? Omit<E, 'taskId' | 'agentId' | 'timestamp'>
    : never
  : never;

export interface RunContext {
  /** Aborted by a cancel, by the task's time running out, and by the end of Forge. */
  signal: AbortSignal;
  emit: (event: EventBody) => void;
  /** What is known so far; it is part of the result even if the task fails later on. */
  note: (partial: RunOutcome) => void;
}

/** What is the same in every adapter: events, the task's time, cancelling, and what a failure is called. */
export abstract class BaseAdapter implements ExecutionAdapter {
  abstract readonly provider: string;
  protected readonly log: AdapterLog;
  readonly #listeners = new Set<ExecutionEventListener>();
  readonly #active = new Map<string, AbortController>();

  constructor(log: AdapterLog = CONSOLE_LOG) {
    this.log = log;
  }

  abstract initialize(config: AdapterConfig): Promise<void>;
  abstract checkHealth(): Promise<AdapterHealthStatus>;
  abstract capabilities(): GatewayCapabilityProfile;
  /** Runs the task; whatever it throws becomes the result's error. */
  protected abstract run(request: ExecutionRequest, context: RunContext): Promise<RunOutcome>;
  /** What a failure of the runtime is called, and what to say about it. */
  protected describeFailure(error: unknown): { errorCode: string; error: string } {
    const message = error instanceof Error ? error.message : String(error);
    return { errorCode: isForgeError(error) ? error.code : 'runtime_failed', error: message };
  }

  shutdown(): Promise<void> {
    for (const controller of this.#active.values()) controller.abort(new Stopped('shutting_down', 'Forge is stopping'));
    this.#active.clear();
    return Promise.resolve();
  }

  async execute(request: ExecutionRequest): Promise<ExecutionResult> {
    const started = performance.now();
    const controller = new AbortController();
    const timeout = setTimeout(
      () => controller.abort(new Stopped('timeout', `the task took longer than ${request.timeoutSeconds} s`)),
      request.timeoutSeconds * 1000,
    );
    this.#active.set(request.taskId, controller);
    const emit = (event: EventBody): void => this.emitEvent(stamped(event, request));
    let known: RunOutcome = {};
    const note = (partial: RunOutcome): void => {
      known = { ...known, ...partial };
    };
    try {
      emit({ type: 'execution.started', data: { provider: this.provider } });
      const outcome = await untilAborted(
        this.run(request, { signal: controller.signal, emit, note }),
        controller.signal,
      );
      // A runtime that answers although it was stopped has answered nobody.
      controller.signal.throwIfAborted();
      const result: ExecutionResult = { status: 'ok', durationMs: performance.now() - started, ...known, ...outcome };
      emit({ type: 'execution.completed', data: result });
      return result;
    } catch (failure) {
      const { errorCode, error } = this.#nameFailure(failure, controller.signal);
      emit({ type: 'execution.failed', data: { error, errorCode } });
      return { ...known, status: 'error', error, errorCode, durationMs: performance.now() - started };
    } finally {
      clearTimeout(timeout);
      if (this.#active.get(request.taskId) === controller) this.#active.delete(request.taskId);
    }
  }

  cancel(taskHandle: string): Promise<boolean> {
    const controller = this.#active.get(taskHandle);
    controller?.abort(new Stopped('cancelled', 'the task was cancelled'));
    this.#active.delete(taskHandle);
    return Promise.resolve(controller !== undefined);
  }

  onEvent(listener: ExecutionEventListener): void {
    this.#listeners.add(listener);
  }

  offEvent(listener: ExecutionEventListener): void {
    this.#listeners.delete(listener);
  }

  protected emitEvent(event: ExecutionEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.log.warn(`a listener of ${this.provider} failed: ${String(error)}`);
      }
    }
  }

  /** Why the task was stopped says more than how the runtime took it. */
  #nameFailure(failure: unknown, signal: AbortSignal): { errorCode: string; error: string } {
    const reason: unknown = signal.aborted ? signal.reason : undefined;
    if (reason instanceof Stopped) return { errorCode: reason.code, error: reason.message };
    return this.describeFailure(failure);
  }
}

/** A runtime that does not notice that it was stopped is not waited for. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(asError(signal.reason));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject);
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** The reason of an abort. */
class Stopped extends Error {
  readonly code: 'cancelled' | 'timeout' | 'shutting_down';

  constructor(code: Stopped['code'], message: string) {
    super(message);
    this.code = code;
  }
}

function stamped(event: EventBody, { taskId, agentId }: ExecutionRequest): ExecutionEvent {
  return { ...event, taskId, agentId, timestamp: new Date().toISOString() };
}
