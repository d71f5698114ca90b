import { ForgeError, isForgeError, type ErrorCode } from '../../shared/errors.ts';
import { newCallId } from '../calls/call-id.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
import type { Job } from '../runners/job.ts';
import type { Response } from '../runners/response.ts';
import type { CallAnswer, CallRequest } from './call-tool.ts';
import type { Finished } from './finish-result.ts';
import type { Preview } from './preview-job.ts';
import type { Approval, Hooks, RecordedCall } from './hooks.ts';

/** Failures that are not a tool's result: nothing was there to call, or Forge itself is in trouble. */
const NOT_A_RESULT: ReadonlySet<ErrorCode> = new Set([
  'tool_not_found',
  'internal',
  'store_corrupt',
  'disk_write_failed',
  'shutting_down',
]);

/** Follows one call through its stages and makes its answer and its entry in the log. */
export class CallRecord {
  readonly #id = newCallId();
  readonly #at = new Date();
  readonly #started = performance.now();
  readonly #request: CallRequest;
  readonly #stages: [string, number][] = [];
  #last = this.#started;
  #entry: ToolEntry | null = null;
  #job: Job | null = null;
  #response: Response | null = null;
  #error: ForgeError | null = null;
  #isRecorded = true;

  constructor(request: CallRequest) {
    this.#request = request;
  }

  get id(): string {
    return this.#id;
  }

  /** Ends a stage; what it found out is kept for the log. */
  stage(name: string, entry: ToolEntry | null = this.#entry, job: Job | null = this.#job): void {
    const now = performance.now();
    this.#stages.push([name, now - this.#last]);
    this.#last = now;
    this.#entry = entry;
    this.#job = job;
  }

  answered(response: Response): void {
    this.#response = response;
  }

  done(finished: Finished, watchId: string | null): CallAnswer {
    if (!finished.ok) this.#error = finished.error;
    const base = { callId: this.#id, durationMs: this.#duration() };
    const watch = watchId === null ? {} : { watchId };
    return finished.ok
      ? { kind: 'done', ...base, ...watch, ...finished }
      : { kind: 'failed', ...base, error: finished.error };
  }

  dryRun(job: Preview): CallAnswer {
    this.#isRecorded = false;
    return { kind: 'dry-run', callId: this.#id, job };
  }

  waits({ approvalId, reason }: Extract<Approval, { allowed: false }>): CallAnswer {
    this.#error = new ForgeError('approval_required', reason);
    return { kind: 'approval', callId: this.#id, approvalId, reason };
  }

  /** What a caller can act on is an answer; everything else goes up to whoever can. */
  failed(error: unknown): CallAnswer {
    const known = isForgeError(error)
      ? error
      : new ForgeError('internal', 'something went wrong inside Forge', { cause: error });
    this.#error = known;
    if (NOT_A_RESULT.has(known.code)) throw isForgeError(error) ? known : error;
    return { kind: 'failed', callId: this.#id, durationMs: this.#duration(), error: known };
  }

  /** Stage 10. A tool that does not exist leaves no entry: there is nothing to say about it. */
  hand(hooks: Hooks): void {
    if (!this.#isRecorded || this.#entry === null) return;
    const { connector, tool } = this.#entry;
    const call: RecordedCall = {
      id: this.#id,
      at: this.#at,
      caller: this.#request.caller,
      toolId: `${connector.id}.${tool.name}`,
      connectorId: connector.id,
      args: this.#request.args,
      error: this.#error === null ? null : { code: this.#error.code, message: this.#error.message },
      durationMs: this.#duration(),
      stages: this.#stages,
      trace: { job: this.#job, response: this.#response },
    };
    hooks.record(call);
  }

  #duration(): number {
    return performance.now() - this.#started;
  }
}
