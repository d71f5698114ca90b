import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { ForgeError, type ErrorCode } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';

/** What a side thread is told. */
export type ThreadMessage<Request> = { kind: 'request'; id: number; request: Request } | { kind: 'cancel'; id: number };

/** An error loses its class on the way between threads. */
export interface ThreadError {
  message: string;
  code: ErrorCode | null;
  hint?: string;
  details?: unknown;
}

export type ThreadAnswer = { id: number; result: unknown } | { id: number; error: ThreadError };

/** A thread for work that would hold up everything else. */
export interface SideThread<Request> {
  ask: (request: Request, signal?: StopSignal) => Promise<unknown>;
  close: () => void;
}

interface SideThreadOptions {
  name: string;
  /** The thread's code, bundled. */
  script: URL;
  workerData?: unknown;
  idleMs?: number;
  /** How long one request may take; the thread is ended with it. Without a limit, one that never ends holds up all behind it. */
  limitMs?: number;
}

const IDLE_MS = 5000;

/** A request took longer than it may. */
export class ThreadTimeout extends Error {}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  /** Sends the request once more, to a new thread. */
  again: () => void;
}

/**
 * The thread starts with the first request and ends after it had nothing to do for a while. Null where the code is not bundled, as in
 * most tests: the caller then does the work itself.
 */
export function createSideThread<Request>(options: SideThreadOptions): SideThread<Request> | null {
  const { name, script, workerData, idleMs = IDLE_MS, limitMs } = options;
  if (!existsSync(script)) return null;
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let late: NodeJS.Timeout | null = null;
  let idle: NodeJS.Timeout | null = null;
  let last = 0;

  /** Only the request at the head of the line is being worked on, so its time begins when the one before it has ended. */
  const watchTime = (): void => {
    if (late !== null) clearTimeout(late);
    late = null;
    if (limitMs === undefined || waiting.size === 0) return;
    late = setTimeout(() => {
      const stuck = worker;
      const [first, ...rest] = waiting;
      waiting.clear();
      worker = null;
      void stuck?.terminate();
      first?.[1].reject(new ThreadTimeout(`${name} took longer than ${limitMs / 1000} seconds`));
      // Those behind it go to a thread of their own.
      for (const [, request] of rest) request.again();
    }, limitMs);
    late.unref();
  };
  const lose = (error: Error): void => {
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    watchTime();
  };
  const rest = (): void => {
    const ended = worker;
    worker = null;
    void ended?.terminate();
  };
  const take = (answer: ThreadAnswer): void => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    watchTime();
    if (waiting.size === 0) {
      worker?.unref();
      idle = setTimeout(rest, idleMs);
      idle.unref();
    }
    if ('error' in answer) asked?.reject(errorOf(answer.error));
    else asked?.resolve(answer.result);
  };
  const start = (): Worker => {
    const started = new Worker(script, { workerData, name });
    const isCurrent = (): boolean => worker === started;
    started.on('message', take);
    started.on('error', (error) => isCurrent() && lose(error));
    started.on('exit', () => isCurrent() && lose(new Error(`the thread ${name} has ended`)));
    started.unref();
    return started;
  };

  return {
    ask: (request, signal) =>
      new Promise((resolve, reject) => {
        last += 1;
        const id = last;
        const send = (): void => {
          if (idle !== null) clearTimeout(idle);
          worker ??= start();
          worker.ref();
          waiting.set(id, { resolve, reject, again: send });
          if (waiting.size === 1) watchTime();
          worker.postMessage({ kind: 'request', id, request } satisfies ThreadMessage<Request>);
        };
        send();
        signal?.addEventListener('abort', () => {
          worker?.postMessage({ kind: 'cancel', id } satisfies ThreadMessage<Request>);
          // The answer to a cancelled request is ignored.
          if (waiting.delete(id)) reject(asError(signal.reason));
        });
      }),
    close: rest,
  };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function errorOf({ message, code, hint, details }: ThreadError): Error {
  if (code === null) return new Error(message);
  return new ForgeError(code, message, { ...(hint === undefined ? {} : { hint }), details });
}
