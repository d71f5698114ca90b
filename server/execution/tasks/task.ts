import type { Row } from '../../store/sqlite.ts';
import type { ExecutionResult } from '../adapter.ts';

export type TaskStatus = 'queued' | 'running' | 'ok' | 'error' | 'cancelled' | 'interrupted';

/** How the result gets to whoever dispatched the task. */
type CallbackState = 'none' | 'pending' | 'delivered' | 'failed';

/** A task as it stands in the database. What was asked is not part of it. */
export interface Task {
  id: string;
  provider: string;
  agentId: string;
  sessionId: string | null;
  status: TaskStatus;
  model: string;
  warnings: string[];
  metadata: unknown;
  result: ExecutionResult | null;
  callback: { url: string; state: CallbackState; attempts: number; problem: string | null } | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

/** How a result ends its task. */
export function statusOf({ status, errorCode }: ExecutionResult): TaskStatus {
  if (status === 'ok') return 'ok';
  if (errorCode === 'cancelled') return 'cancelled';
  return errorCode === 'shutting_down' || errorCode === 'task_interrupted' ? 'interrupted' : 'error';
}

export function taskOfRow(row: Row): Task {
  const text = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  const url = text('callback_url');
  return {
    id: String(row['id']),
    provider: String(row['provider']),
    agentId: String(row['agent_id']),
    sessionId: text('session_id'),
    // The table checks both.
    status: String(row['status']) as TaskStatus,
    model: String(row['model']),
    warnings: JSON.parse(String(row['warnings'])) as string[], // written by task-rows.ts, as is all JSON here
    metadata: JSON.parse(text('metadata') ?? 'null'),
    result: JSON.parse(text('result') ?? 'null') as ExecutionResult | null,
    callback:
      url === null
        ? null
        : {
            url,
            state: String(row['callback_state']) as CallbackState,
            attempts: Number(row['callback_attempts']),
            problem: text('callback_problem'),
          },
    createdAt: String(row['created_at']),
    startedAt: text('started_at'),
    finishedAt: text('finished_at'),
  };
}
