import { ForgeError } from '../../../shared/errors.ts';
import { refuseHost } from '../../runners/http/address-rules.ts';
import type { HttpRunner } from '../../runners/http/http-runner.ts';
import type { SecretBox } from '../../settings/settings.ts';
import type { Task } from '../tasks/task.ts';
import { callbackPlace, type DueCallback, type TaskRows } from '../tasks/task-rows.ts';

interface CallbacksDeps {
  rows: TaskRows;
  http: Pick<HttpRunner, 'run'>;
  secrets: Pick<SecretBox, 'prepare' | 'seal' | 'open'>;
  ownPorts: () => readonly number[];
  warn: (message: string) => void;
  /** Resolves after so long, or rejects when the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const RETRIES = 3;
const FIRST_RETRY_MS = 1000;
const TIMEOUT_MS = 15_000;

export type Callbacks = ReturnType<typeof createCallbacks>;

/** Brings results to whoever dispatched the task: at least once, which is why a receiver must not mind a second time. */
export function createCallbacks({ rows, http, secrets, ownPorts, warn, sleep }: CallbacksDeps) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const underWay = new Set<Promise<void>>();

  const send = async ({ task, url, sealedToken }: DueCallback): Promise<string | null> => {
    const token = sealedToken === null ? null : secrets.open(sealedToken, callbackPlace(task.id)).reveal();
    const response = await http.run(
      {
        ...{ protocol: 'http', method: 'POST', url, body: JSON.stringify(callbackBody(task)) },
        headers: {
          'Content-Type': 'application/json',
          // The same for every attempt, so that a receiver can tell them from another result.
          'Idempotency-Key': task.id,
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        },
        ...{ timeoutMs: TIMEOUT_MS, verifyTls: true, followRedirects: false, captureHeaders: [], hostFrom: 'person' },
      },
      { signal },
    );
    return response.status >= 200 && response.status < 300 ? null : `it answered ${response.status}`;
  };

  const attempt = async (due: DueCallback): Promise<string | null> => {
    try {
      return await send(due);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  const deliverDue = async (due: DueCallback): Promise<void> => {
    const { id } = due.task;
    for (let tried = 0; tried <= RETRIES; tried += 1) {
      if (tried > 0) await sleep(FIRST_RETRY_MS * 2 ** (tried - 1), signal);
      const problem = await attempt(due);
      // Stopped in between, it is neither delivered nor given up: the next start tries again.
      signal.throwIfAborted();
      rows.callbackTried(id, problem);
      if (problem !== null) continue;
      rows.callbackSettled(id, 'delivered');
      return;
    }
    rows.callbackSettled(id, 'failed');
    warn(`the result of task ${id} could not be delivered`);
  };

  const deliver = (due: DueCallback): Promise<void> => {
    const work = deliverDue(due)
      .catch((error: unknown) => {
        if (!signal.aborted) warn(`delivering the result of task ${due.task.id} failed: ${String(error)}`);
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
    return work;
  };

  return {
    /** Refuses an address that could never be called, and seals the token. */
    prepare: async (taskId: string, callback: { url: string; token?: string | undefined }) => {
      const url = checkedUrl(callback.url, ownPorts);
      if (callback.token === undefined) return { url, sealedToken: null };
      await secrets.prepare();
      return { url, sealedToken: secrets.seal(callback.token, callbackPlace(taskId)) };
    },
    deliver: async (taskId: string): Promise<void> => {
      const due = rows.dueCallbacks().find(({ task }) => task.id === taskId);
      if (due !== undefined) await deliver(due);
    },
    /** At the start: what an earlier run did not get to deliver. */
    resume: (): void => {
      for (const due of rows.dueCallbacks()) void deliver(due);
    },
    stop: async (): Promise<void> => {
      stopped.abort(new ForgeError('shutting_down', 'Forge is stopping'));
      await Promise.allSettled(underWay);
    },
  };
}

/** What is sent; a receiver knows the task by its id. */
function callbackBody(task: Task): Record<string, unknown> {
  const { id: taskId, agentId, sessionId, provider, metadata, result, finishedAt } = task;
  return { taskId, agentId, sessionId, provider, metadata, finishedAt, ...result };
}

function checkedUrl(text: string, ownPorts: () => readonly number[]): string {
  let url: URL | null = null;
  try {
    url = new URL(text);
  } catch {
    // Told below, like addresses of another kind.
  }
  if (
    url === null ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new ForgeError('invalid_request', 'callback_url must be an http or https address without a name or password');
  const refusal = refuseHost(url, { hostFrom: 'person', ownPorts });
  if (refusal !== null) throw refusal;
  return url.href;
}
