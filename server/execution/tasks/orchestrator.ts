import { randomBytes } from 'node:crypto';
import { ForgeError } from '../../../shared/errors.ts';
import type { ForgeEvent } from '../../../shared/events.ts';
import type { JsonValue } from '../../../shared/json.ts';
import type { Masker } from '../../secrets/masker.ts';
import type { Database } from '../../store/sqlite.ts';
import { transaction } from '../../store/transaction.ts';
import type { ExecutionAdapter, ExecutionEvent, ExecutionResult } from '../adapter.ts';
import type { Callbacks } from '../callbacks/callbacks.ts';
import type { Gateways } from '../gateways.ts';
import type { ModelTools } from '../model-tools.ts';
import type { ModelPrices } from '../models/prices.ts';
import { routeTask } from '../routing.ts';
import type { TaskRules } from '../task-rules.ts';
import { Lane, type Leave } from './lane.ts';
import { failed } from './normalize-result.ts';
import { redactedEvents } from './redacted-events.ts';
import { runAdapter } from './run-adapter.ts';
import { statusOf, type Task } from './task.ts';
import type { TaskRows } from './task-rows.ts';
import { assembleExecutionRequest, type TaskSpec } from './task-spec.ts';
import type { TaskStream, TaskStreams } from './task-stream.ts';
import type { TokenEvents } from './token-events.ts';

/** The part of the event bus that tasks need. */
export interface TaskBus {
  append(event: ForgeEvent): void;
  deliver(): void;
}

export interface OrchestratorDeps {
  db: Database;
  gateways: Gateways;
  tools: ModelTools;
  rules: (task: { taskId: string; sessionId: string | null }) => TaskRules;
  rows: TaskRows;
  tokens: TokenEvents;
  prices: Pick<ModelPrices, 'withCost'>;
  streams: TaskStreams;
  callbacks: Callbacks;
  masker: Masker;
  bus: TaskBus;
  /** How many may wait for one runtime. */
  maxWaiting?: number;
  graceMs?: number;
}

export interface Submitted {
  task: Task;
  /** True when a task of this id was there already, and nothing was started. */
  isKnown: boolean;
  /** Null for a task that was there already and has been forgotten since. */
  stream: TaskStream | null;
  done: Promise<ExecutionResult>;
}

const MAX_WAITING = 100;

/** Told by the orchestrator alone. */
const OWN_EVENTS: ReadonlySet<ExecutionEvent['type']> = new Set([
  'execution.queued',
  'execution.started',
  'execution.completed',
  'execution.failed',
]);

interface Active {
  controller: AbortController;
  emit: (event: ExecutionEvent) => void;
  done: Promise<ExecutionResult>;
}

/** A task on its way: what it is, where it runs, and how it tells of itself. */
interface Started extends Omit<Active, 'done'> {
  spec: TaskSpec;
  task: Task;
  adapter: ExecutionAdapter;
  turn: Promise<Leave>;
  stream: TaskStream;
}

type TaskPlace = Pick<Task, 'id' | 'sessionId' | 'provider'>;

/** Takes tasks, finds a runtime for each, and sees them through to their end. Chat and dispatch are its callers. */
export class Orchestrator {
  readonly #deps: OrchestratorDeps;
  readonly #lanes = new Map<string, Lane>();
  readonly #active = new Map<string, Active>();
  #isClosing = false;

  constructor(deps: OrchestratorDeps) {
    this.#deps = deps;
  }

  /** Everything that can be refused is refused here, before anything is stored. */
  async submit(spec: TaskSpec): Promise<Submitted> {
    const { gateways, rows, callbacks } = this.#deps;
    this.#requireOpen();
    const id = spec.taskId ?? `task_${randomBytes(8).toString('hex')}`;
    const known = rows.get(id);
    if (known !== null) return this.#knownTask(known);
    await gateways.requireLoaded(spec.gateway);
    const candidates = await gateways.candidates();
    const { provider } = routeTask(candidates, spec);
    const adapter = await gateways.find(provider);
    const health = candidates.find((candidate) => candidate.provider === provider)?.health;
    const warnings = health === 'degraded' ? [`${provider} is degraded; the task may fail`] : [];
    const callback = spec.callback === undefined ? null : await callbacks.prepare(id, spec.callback);
    // Much may have happened while the task was being looked at: Forge is stopping, or somebody has brought the same one.
    this.#requireOpen();
    const meanwhile = rows.get(id);
    if (meanwhile !== null) return this.#knownTask(meanwhile);
    const controller = new AbortController();
    const { ahead, turn } = this.#laneOf(adapter).enter(controller.signal);
    const { agentId, sessionId = null, model = '', metadata } = spec;
    const fresh = { id, provider, agentId, sessionId, model, warnings, metadata };
    try {
      this.#change(fresh, 'queued', () => rows.add({ ...fresh, callback }));
    } catch (error) {
      // What could not be stored does not run, and leaves its place to others.
      controller.abort(error);
      turn.then(
        (leave) => leave(),
        () => undefined,
      );
      throw error;
    }
    return this.#begin({ spec, task: this.get(id), adapter, turn, controller }, ahead);
  }

  get(id: string): Task {
    const task = this.#deps.rows.get(id);
    if (task === null) throw new ForgeError('not_found', `there is no task ${JSON.stringify(id.slice(0, 80))}`);
    return task;
  }

  /** False when it has ended already. */
  cancel(id: string): boolean {
    const running = this.#active.get(id);
    running?.controller.abort(new ForgeError('cancelled', 'the task was cancelled'));
    return running !== undefined;
  }

  /** What adapters tell while they run; how a task begins and ends, the orchestrator says itself. */
  hear(event: ExecutionEvent): void {
    if (!OWN_EVENTS.has(event.type)) this.#active.get(event.taskId)?.emit(event);
  }

  load(provider: string): { running: number; queued: number } {
    const lane = this.#lanes.get(provider);
    return { running: lane?.running ?? 0, queued: lane?.waiting ?? 0 };
  }

  /** At the start: what an earlier run left behind has not ended well, and is told as it is. */
  recover(): number {
    const { rows } = this.#deps;
    const left = rows.unended();
    for (const task of left) this.#end(task, failed('Forge was stopped while the task ran', 0, 'task_interrupted'));
    rows.prune();
    return left.length;
  }

  /** Ends what runs and says why. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const reason = new ForgeError('task_interrupted', 'Forge was stopped while the task ran');
    const running = [...this.#active.values()];
    for (const { controller } of running) controller.abort(reason);
    await Promise.allSettled(running.map(({ done }) => done));
    this.#deps.streams.endAll();
  }

  #requireOpen(): void {
    if (this.#isClosing) throw new ForgeError('shutting_down', 'Forge is stopping');
  }

  #begin(made: Omit<Started, 'stream' | 'emit'>, ahead: number): Submitted {
    const { task, adapter, controller } = made;
    const stream = this.#deps.streams.open(task.id);
    const emit = redactedEvents(this.#deps.masker, (event) => stream.append(event));
    const about = { taskId: task.id, agentId: task.agentId, timestamp: task.createdAt };
    const data = { position: ahead, provider: adapter.provider };
    if (ahead > 0) emit({ type: 'execution.queued', ...about, data });
    for (const message of task.warnings) emit({ type: 'execution.warning', ...about, data: { message } });
    const done = this.#run({ ...made, stream, emit });
    this.#active.set(task.id, { controller, emit, done });
    // Whoever waits for it sees its failure; nobody has to.
    done.catch(() => undefined);
    return { task, isKnown: false, stream, done };
  }

  async #run(started: Started): Promise<ExecutionResult> {
    const { task, turn, controller } = started;
    let leave: Leave;
    try {
      leave = await turn;
    } catch {
      return this.#finish(started, stoppedWhileWaiting(controller.signal));
    }
    try {
      this.#change(task, 'running', () => this.#deps.rows.started(task.id));
      return this.#finish(started, await this.#execute(started));
    } catch (error) {
      this.#finish(started, failed('something went wrong inside Forge', 0, 'internal'));
      throw error;
    } finally {
      // Whatever the task still had under way has nobody to answer to.
      controller.abort(new ForgeError('cancelled', 'the task has ended'));
      this.#active.delete(task.id);
      started.stream.end();
      leave();
    }
  }

  #execute({ spec, task, adapter, controller: { signal }, emit }: Started): Promise<ExecutionResult> {
    const { tools, graceMs, masker } = this.#deps;
    const about = () => ({ taskId: task.id, agentId: task.agentId, timestamp: new Date().toISOString() });
    emit({ type: 'execution.started', ...about(), data: { provider: adapter.provider } });
    const { specs, instructions } = tools.offer(spec.tools, spec.caller, calledIn(spec.history));
    const rules = this.#rulesOf(spec, task);
    const toolExecutor = tools.executor({
      ...{ caller: spec.caller, choice: spec.tools, signal, ...rules.toolUse },
      tell: (event) => emit({ ...event, ...about() }),
    });
    const made = {
      ...{ taskId: task.id, tools: specs, toolExecutor, profile: adapter.capabilities(), masker },
      instructions: specs.length === 0 ? [instructions] : [instructions, rules.instructions],
    };
    return runAdapter(adapter, assembleExecutionRequest(spec, made), signal, graceMs);
  }

  /** A conversation has told its model already what its marks mean. */
  #rulesOf(
    { toolUse }: TaskSpec,
    { id: taskId, sessionId }: Task,
  ): Pick<TaskSpec, 'toolUse'> & { instructions: string } {
    return toolUse === undefined ? this.#deps.rules({ taskId, sessionId }) : { toolUse, instructions: '' };
  }

  #finish({ task, stream, emit }: Started, result: ExecutionResult): ExecutionResult {
    const clean = redactResult(this.#deps.prices.withCost(result), this.#deps.masker);
    this.#end(task, clean);
    const about = { taskId: task.id, agentId: task.agentId, timestamp: new Date().toISOString() };
    const { error = '', errorCode = 'runtime_failed' } = clean;
    if (clean.status === 'ok') emit({ type: 'execution.completed', ...about, data: clean });
    else emit({ type: 'execution.failed', ...about, data: { error, errorCode } });
    stream.end();
    this.#active.delete(task.id);
    // While Forge is stopping it would not get far; the next start delivers it.
    if (task.callback !== null && !this.#isClosing) void this.#deps.callbacks.deliver(task.id);
    return clean;
  }

  #end(task: Task, result: ExecutionResult): void {
    const { rows, tokens } = this.#deps;
    const store = (): void => {
      rows.ended(task.id, result);
      tokens.record({ ...task, taskId: task.id }, result);
    };
    this.#change(task, statusOf(result), store, result.errorCode);
  }

  /** One transaction for the change and the event that tells of it. */
  #change({ id, sessionId, provider }: TaskPlace, status: Task['status'], store: () => void, code?: string): void {
    const { db, bus } = this.#deps;
    transaction(db, () => {
      store();
      const about = { task_id: id, session_id: sessionId, provider, status };
      bus.append({ type: 'task.changed', ...about, code: code ?? null });
    });
    bus.deliver();
  }

  #knownTask(task: Task): Submitted {
    const done = this.#active.get(task.id)?.done ?? Promise.resolve(task.result ?? failed('the task was forgotten', 0));
    return { task, isKnown: true, stream: this.#deps.streams.get(task.id), done };
  }

  #laneOf(adapter: ExecutionAdapter): Lane {
    const { maxWaiting = MAX_WAITING } = this.#deps;
    const lane = this.#lanes.get(adapter.provider) ?? new Lane(adapter.capabilities().maxConcurrent, maxWaiting);
    this.#lanes.set(adapter.provider, lane);
    return lane;
  }
}

function stoppedWhileWaiting(signal: AbortSignal): ExecutionResult {
  const reason: unknown = signal.reason;
  return reason instanceof ForgeError
    ? failed(reason.message, 0, reason.code)
    : failed('the task was cancelled', 0, 'cancelled');
}

/** The tools that a conversation has called by their names. */
function calledIn(history: TaskSpec['history'] = []): ReadonlySet<string> {
  return new Set(
    history.flatMap((said) => (said.role === 'assistant' ? (said.toolCalls ?? []).map(({ name }) => name) : [])),
  );
}

function redactResult(result: ExecutionResult, masker: Masker): ExecutionResult {
  // A result is JSON, and stays of its shape.
  return masker.redactValue(result as unknown as JsonValue) as unknown as ExecutionResult;
}
