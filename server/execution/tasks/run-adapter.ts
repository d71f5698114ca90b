import { isForgeError } from '../../../shared/errors.ts';
import type { ExecutionAdapter, ExecutionRequest, ExecutionResult } from '../adapter.ts';
import { failed, normalizeResult } from './normalize-result.ts';

/** How long an adapter may take to end a task by itself once it should; then the task is over without it. */
const GRACE_MS = 5000;

/**
 * Runs a task on an adapter, whatever the adapter does: what it throws is a result, and so is its silence. When `signal` is aborted the
 * adapter is asked to stop, and the reason is what the result says.
 */
export async function runAdapter(
  adapter: ExecutionAdapter,
  request: ExecutionRequest,
  signal: AbortSignal,
  graceMs = GRACE_MS,
): Promise<ExecutionResult> {
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  const timers: NodeJS.Timeout[] = [];
  const stopped = new Promise<ExecutionResult>((resolve) => {
    const giveUp = (result: () => ExecutionResult, ms: number): void => {
      timers.push(setTimeout(() => resolve(result()), ms));
    };
    const timeoutMs = request.timeoutSeconds * 1000;
    timers.push(setTimeout(() => askToStop(adapter, request.taskId), timeoutMs + graceMs / 2));
    giveUp(
      () => failed(`the task took longer than ${request.timeoutSeconds} s`, elapsed(), 'timeout'),
      timeoutMs + graceMs,
    );
    const onAbort = (): void => {
      askToStop(adapter, request.taskId);
      giveUp(() => failed('the task was stopped', elapsed(), 'cancelled'), graceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    const result = await Promise.race([executed(adapter, request, elapsed), stopped]);
    return signal.aborted ? withReason(result, signal.reason) : result;
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

async function executed(
  adapter: ExecutionAdapter,
  request: ExecutionRequest,
  elapsed: () => number,
): Promise<ExecutionResult> {
  try {
    return normalizeResult(await adapter.execute(request), elapsed());
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error), elapsed());
  }
}

function askToStop(adapter: ExecutionAdapter, taskId: string): void {
  // It is best effort; an adapter that cannot is left behind when its time is up.
  Promise.resolve()
    .then(() => adapter.cancel(taskId))
    .catch(() => undefined);
}

/** Why Forge stopped the task says more than how the runtime took it. */
function withReason(result: ExecutionResult, reason: unknown): ExecutionResult {
  if (!isForgeError(reason)) return result;
  return { ...result, status: 'error', error: reason.message, errorCode: reason.code };
}
