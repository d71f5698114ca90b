import { hash } from 'node:crypto';
import { ForgeError } from '../../../shared/errors.ts';
import type { JsonValue } from '../../../shared/json.ts';
import { canonicalJson } from '../../approvals/canonical-json.ts';
import type { Masker } from '../../secrets/masker.ts';
import type { Database } from '../../store/sqlite.ts';
import { transaction } from '../../store/transaction.ts';
import { normalizeResult } from '../tasks/normalize-result.ts';
import type { TaskBus } from '../tasks/orchestrator.ts';
import type { TokenEvents } from '../tasks/token-events.ts';

interface ReceiverDeps {
  db: Database;
  tokens: TokenEvents;
  bus: TaskBus;
  masker: Masker;
  now: () => Date;
}

export type ReceiveCallback = (body: Readonly<Record<string, unknown>>) => { taskId: string; duplicate: boolean };

/**
 * The other end of a callback: records the step's result and its tokens, and tells that it is complete. Results are delivered at least
 * once, so the same one again changes nothing; another one for the same task is refused.
 */
export function createReceiveCallback({ db, tokens, bus, masker, now }: ReceiverDeps): ReceiveCallback {
  const known = db.prepare('SELECT body_sha256 FROM step_results WHERE task_id = ?');
  const insert = db.prepare(
    'INSERT INTO step_results (task_id, body_sha256, status, result, received_at) VALUES (?, ?, ?, ?, ?)',
  );
  return (body) => {
    const taskId = textOf(body, 'taskId', 'task_id');
    if (taskId === null) throw new ForgeError('invalid_request', 'taskId is required');
    if (body['status'] !== 'ok' && body['status'] !== 'error')
      throw new ForgeError('invalid_request', 'status must be "ok" or "error"');
    const result = normalizeResult(body, 0);
    const digest = hash('sha256', canonicalJson(body), 'hex');
    const duplicate = transaction(db, () => {
      const row = known.get(taskId);
      if (row !== undefined) {
        if (row['body_sha256'] === digest) return true;
        throw new ForgeError('conflict', `another result of task ${taskId.slice(0, 80)} was received before`);
      }
      // What another system reports is JSON, and may hold what one of our tools has told it.
      const clean = masker.redactValue(result as unknown as JsonValue);
      insert.run(taskId, digest, result.status, JSON.stringify(clean), now().toISOString());
      tokens.record(
        {
          ...{ taskId, agentId: textOf(body, 'agentId', 'agent_id') ?? '' },
          sessionId: textOf(body, 'sessionId', 'session_id'),
          provider: textOf(body, 'provider') ?? 'unknown',
        },
        result,
      );
      bus.append({ type: 'step.completed', task_id: taskId, status: result.status, code: result.errorCode ?? null });
      return false;
    });
    bus.deliver();
    return { taskId, duplicate };
  };
}

const MAX_TEXT = 200;

function textOf(body: Readonly<Record<string, unknown>>, ...names: string[]): string | null {
  const found = names.map((name) => body[name]).find((value) => value !== undefined && value !== null);
  if (found === undefined) return null;
  if (typeof found === 'string' && found !== '' && found.length <= MAX_TEXT) return found;
  throw new ForgeError('invalid_request', `${names[0] ?? ''} must be a text of at most ${MAX_TEXT} characters`);
}
