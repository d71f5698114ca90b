import { ForgeError, isForgeError, type ErrorCode } from '../../shared/errors.ts';
import { newCallId } from '../calls/call-id.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
import type { Job } from '../runners/job.ts';
import type { Response } from '../runners/response.ts';
import type { Masks } from '../secrets/connector-secrets.ts';
import type { Masker } from '../secrets/masker.ts';
import type { CallAnswer, CallRequest } from './call-tool.ts';
import type { Finished } from './finish-result.ts';
import type { Preview } from './preview-job.ts';
import type { Approval, Hooks, RecordedCall } from './hooks.ts';
import { redactError, redactPreview } from './redact-answer.ts';

const NOT_EXPANDED = (): null => null;

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
  #job: () => Job | null = NOT_EXPANDED;
  #response: Response | null = null;
  #error: ForgeError | null = null;
  #approvalId: string | null = null;
  #isRecorded = true;
  #hasBegun = false;
  /** Those of its connector, once that is known. */
  masks: Masks;

  constructor(request: CallRequest, own: Masker) {
    this.#request = request;
    this.masks = { sent: own, received: own };
  }

  get id(): string {
    return this.#id;
  }

  /** Ends a stage; what it found out is kept for the log. */
  stage(name: string, entry: ToolEntry | null = this.#entry, job: () => Job | null = this.#job): void {
    const now = performance.now();
    this.#stages.push([name, now - this.#last]);
    this.#last = now;
    this.#entry = entry;
    this.#job = job;
  }

  /** From now on what goes wrong may quote somebody else than the caller. */
  begun(): void {
    this.#hasBegun = true;
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
    return { kind: 'dry-run', callId: this.#id, job: redactPreview(job, this.masks.sent) };
  }

  waits({ approvalId, reason: why }: Extract<Approval, { allowed: false }>): CallAnswer {
    const reason = this.masks.sent.redact(why);
    this.#error = new ForgeError('approval_required', reason);
    this.#approvalId = approvalId;
    return { kind: 'approval', callId: this.#id, approvalId, reason };
  }

  /** What a caller can act on is an answer; everything else goes up to whoever can. */
  failed(error: unknown): CallAnswer {
    const masker = this.#hasBegun ? this.masks.received : this.masks.sent;
    const known = isForgeError(error)
      ? redactError(error, masker)
      : new ForgeError('internal', 'something went wrong inside Forge', { cause: error });
    this.#error = known;
    if (NOT_A_RESULT.has(known.code)) throw isForgeError(error) ? known : error;
    return { kind: 'failed', callId: this.#id, durationMs: this.#duration(), error: known };
  }

  /** Before stage 7: what is not certain to only read is on record before it begins. */
  async intend(hooks: Hooks): Promise<void> {
    const call = this.#recorded();
    if (call === null) throw new TypeError('a call is recorded before its tool is known');
    await hooks.intend(call);
    this.stage('intent');
  }

  /** Stage 10. A tool that does not exist leaves no entry: there is nothing to say about it. */
  hand(hooks: Hooks): void {
    const call = this.#isRecorded ? this.#recorded() : null;
    if (call !== null) hooks.record(call);
  }

  #recorded(): RecordedCall | null {
    if (this.#entry === null) return null;
    const { connector, tool, package: pack } = this.#entry;
    return {
      id: this.#id,
      at: this.#at,
      caller: this.#request.caller,
      toolId: `${connector.id}.${tool.name}`,
      connectorId: connector.id,
      packageId: pack.id,
      args: this.#request.args,
      error: this.#error === null ? null : { code: this.#error.code, message: this.#error.message },
      approvalId: this.#approvalId,
      durationMs: this.#duration(),
      stages: this.#stages,
      trace: { job: this.#job, response: this.#response },
      masks: this.masks,
    };
  }

  #duration(): number {
    return performance.now() - this.#started;
  }
}
