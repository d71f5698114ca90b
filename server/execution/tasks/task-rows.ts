import type { Database } from '../../store/sqlite.ts';
import type { ExecutionResult } from '../adapter.ts';
import { statusOf, taskOfRow, type Task } from './task.ts';

export type NewTask = Pick<Task, 'id' | 'provider' | 'agentId' | 'sessionId' | 'model' | 'warnings' | 'metadata'> & {
  callback: { url: string; sealedToken: string | null } | null;
};

/** A callback that is still to be delivered. */
export interface DueCallback {
  task: Task;
  url: string;
  sealedToken: string | null;
}

/** Ended tasks are kept this long. */
const KEEP_MS = 30 * 24 * 60 * 60_000;

export type TaskRows = ReturnType<typeof createTaskRows>;

/** The tasks' table. Whoever changes a task does it here. */
export function createTaskRows(db: Database, now: () => Date) {
  const insert = db.prepare(
    `INSERT INTO tasks (id, provider, agent_id, session_id, status, model, warnings, metadata, callback_url,
       callback_token, callback_state, callback_attempts, created_at)
     VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, 0, ?)`,
  );
  const byId = db.prepare('SELECT * FROM tasks WHERE id = ?');
  const start = db.prepare("UPDATE tasks SET status = 'running', started_at = ? WHERE id = ? AND status = 'queued'");
  const end = db.prepare(
    `UPDATE tasks SET status = ?, result = ?, finished_at = ?,
       callback_state = CASE WHEN callback_url IS NULL THEN 'none' ELSE 'pending' END
     WHERE id = ? AND status IN ('queued', 'running')`,
  );
  const unended = db.prepare("SELECT * FROM tasks WHERE status IN ('queued', 'running') ORDER BY created_at");
  const due = db.prepare("SELECT * FROM tasks WHERE callback_state = 'pending' AND finished_at IS NOT NULL");
  const attempt = db.prepare(
    'UPDATE tasks SET callback_attempts = callback_attempts + 1, callback_problem = ? WHERE id = ?',
  );
  const settle = db.prepare('UPDATE tasks SET callback_state = ?, callback_token = NULL WHERE id = ?');
  const prune = db.prepare("DELETE FROM tasks WHERE finished_at < ? AND callback_state <> 'pending'");
  const sealed = db.prepare('SELECT id, callback_token FROM tasks WHERE callback_token IS NOT NULL');
  const reseal = db.prepare('UPDATE tasks SET callback_token = ? WHERE id = ?');
  const time = () => now().toISOString();

  return {
    add(task: NewTask): void {
      const { callback } = task;
      insert.run(
        ...[task.id, task.provider, task.agentId, task.sessionId, task.model, JSON.stringify(task.warnings)],
        task.metadata === undefined ? null : JSON.stringify(task.metadata),
        ...[callback?.url ?? null, callback?.sealedToken ?? null, 'none', time()],
      );
    },
    get(id: string): Task | null {
      const row = byId.get(id);
      return row === undefined ? null : taskOfRow(row);
    },
    started: (id: string): void => void start.run(time(), id),
    /** False when it had ended before. */
    ended: (id: string, result: ExecutionResult): boolean =>
      Number(end.run(statusOf(result), JSON.stringify(result), time(), id).changes) === 1,
    unended: (): Task[] => unended.all().map(taskOfRow),
    dueCallbacks: (): DueCallback[] =>
      due.all().map((row) => ({
        task: taskOfRow(row),
        url: String(row['callback_url']),
        sealedToken: row['callback_token'] === null ? null : String(row['callback_token']),
      })),
    callbackTried: (id: string, problem: string | null): void => void attempt.run(problem, id),
    callbackSettled: (id: string, state: 'delivered' | 'failed'): void => void settle.run(state, id),
    prune: (): void => void prune.run(new Date(now().getTime() - KEEP_MS).toISOString()),
    /** Hands every sealed value to `reseal` and stores what comes back; the caller holds the transaction. */
    resealAll(change: (sealed: string, place: string) => string): void {
      for (const row of sealed.all()) {
        const id = String(row['id']);
        reseal.run(change(String(row['callback_token']), callbackPlace(id)), id);
      }
    },
  };
}

/** What a callback's token is sealed for. */
export function callbackPlace(taskId: string): string {
  return JSON.stringify(['@tasks', 'callback_token', taskId]);
}
