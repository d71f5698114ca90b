import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { isRecord, ownValue, type JsonObject } from '../../../shared/json.ts';
import type { WatchDetail } from '../../../shared/watches-api.ts';
import type { Approvals } from '../../approvals/approvals.ts';
import { approvalForm, decisionOf } from '../ask-person.ts';
import { readWatch, type McpWatches, type WatchSources } from '../limited-reading.ts';
import type { Params } from '../methods.ts';
import type { Peer } from '../peer.ts';

/** The extension of the protocol by which a tool call may answer with a task. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** What a client declares that takes tasks, and what Forge declares in return. */
export const TASKS_CAPABILITY = { extensions: { [TASKS_EXTENSION]: {} } };

export const TASK_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;
export type TaskMethod = (typeof TASK_METHODS)[number];

interface TaskDeps extends WatchSources {
  watches: Pick<McpWatches, 'read' | 'cancel' | 'keepMs'>;
  approvals: Pick<Approvals, 'find' | 'decide'>;
}

export type Tasks = ReturnType<typeof createTasks>;

const MIN_POLL_MS = 1000;

export function takesTasks(capabilities: unknown): boolean {
  return isRecord(ownValue(ownValue(capabilities, 'extensions'), TASKS_EXTENSION));
}

/** Watches as tasks: what a call with `async` has started is asked for, answered and cancelled by the client that made the call. */
export function createTasks(deps: TaskDeps) {
  const { watches, approvals } = deps;

  /** Those of others are none: whoever did not start a watch must not be able to stop it. */
  const find = (id: string, peer: Peer): WatchDetail | null => {
    const watch = readWatch(deps, id, peer.scope.limits);
    return watch?.caller === peer.name ? watch : null;
  };
  const required = ({ taskId }: Params, peer: Peer): WatchDetail => {
    const watch = typeof taskId === 'string' ? find(taskId, peer) : null;
    if (watch === null) throw new ForgeError('invalid_request', 'there is no such task');
    return watch;
  };
  /** The question that the tool at the end of a watch waits for. */
  const questionOf = ({ action }: WatchDetail, peer: Peer) => {
    if (peer.ask === null || action?.status !== 'waiting' || action.approval_id === null) return null;
    const approval = approvals.find(action.approval_id);
    return approval?.status === 'pending' ? approval : null;
  };

  const methods: Record<TaskMethod, (params: Params, peer: Peer) => JsonObject> = {
    'tasks/get': (params, peer) => {
      const watch = required(params, peer);
      const approval = questionOf(watch, peer);
      if (approval === null) return { ...taskOf(watch, watches.keepMs), ...outcomeOf(watch) };
      const task = { ...taskOf(watch, watches.keepMs), status: 'input_required' };
      // The form is plain JSON; its type does not say so.
      const form = approvalForm(approval) as unknown as JsonObject;
      return { ...task, inputRequests: { [approval.id]: { method: 'elicitation/create', params: form } } };
    },
    'tasks/update': (params, peer) => {
      const approval = questionOf(required(params, peer), peer);
      // Answers to anything else are of no use any more.
      const given = approval === null ? undefined : ownValue(params['inputResponses'], approval.id);
      const decision = decisionOf(given);
      if (approval !== null && decision !== 'later')
        unlessSettled(() => approvals.decide(approval.id, { decision }, 'client'));
      return {};
    },
    'tasks/cancel': (params, peer) => {
      const { id } = required(params, peer);
      unlessSettled(() => watches.cancel(id));
      return {};
    },
  };

  return {
    methods,
    /** The answer to a call that has left a watch; null when the client would not find it. */
    created: (watchId: string, peer: Peer): JsonObject | null => {
      const watch = find(watchId, peer);
      return watch === null ? null : taskOf(watch, watches.keepMs);
    },
  };
}

/** Somebody was faster, or it has ended: the client sees that when it asks again. */
function unlessSettled(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isForgeError(error, 'conflict') && !isForgeError(error, 'approval_expired')) throw error;
  }
}

const STATUS: Record<WatchDetail['state'], 'working' | 'completed' | 'cancelled'> = {
  polling: 'working',
  parked: 'working',
  acting: 'working',
  done: 'completed',
  // What went wrong is a result for the model; the protocol keeps `failed` for errors of its own.
  failed: 'completed',
  cancelled: 'cancelled',
};

function taskOf(watch: WatchDetail, keepMs: number): JsonObject {
  const message = watch.reason?.message ?? watch.progress;
  return {
    taskId: watch.id,
    status: STATUS[watch.state],
    ...(message === null ? {} : { statusMessage: message }),
    createdAt: watch.created_at,
    lastUpdatedAt: watch.ended_at ?? watch.polls[0]?.at ?? watch.created_at,
    ttlMs: keepMs,
    pollIntervalMs: Math.max(MIN_POLL_MS, Math.round(watch.interval_sec * 1000)),
  };
}

/** What the watch has reported of its present run, and the beginning of what its last poll has found. */
function outcomeOf(watch: WatchDetail): { result?: JsonObject } {
  if (STATUS[watch.state] !== 'completed') return {};
  const reports = watch.reports.filter(({ kind }) => kind !== 'parked').map(({ text }) => text);
  const said = reports.at(-1) ?? watch.reason?.message ?? 'It has ended.';
  const texts = [said, watch.polls[0]?.result ?? ''].filter((text) => text !== '');
  return {
    result: {
      content: texts.map((text) => ({ type: 'text', text })),
      ...(watch.state === 'failed' ? { isError: true } : {}),
    },
  };
}
