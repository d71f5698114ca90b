import type { JsonValue } from '../../shared/json.ts';
import { JsonText, type CallEntry } from '../calls/call.ts';
import type { Job, SshJob } from '../runners/job.ts';
import type { Redactor } from '../secrets/redact.ts';
import { withoutCredentials } from './credential-arguments.ts';
import type { RecordedCall } from './hooks.ts';

/** Of an answer that was a success the result says more than the log could. */
const OK_HEAD_CHARS = 400;
const HEAD_CHARS = 2000;
/** Who tries a tool out on its page looks at the answer itself, and may keep it as a fixture. */
const TRIED_CHARS = 20_000;
/** Of an answer in any language as many characters are kept: one that looks whole because it has fewer is taken for whole. */
const MAX_CHAR_BYTES = 3;
const MAX_TRACE_BODY = 4000;
const TERMINAL_CHARS = 4000;

/**
 * A call as the log keeps it. Redacting costs more than all other stages together, so it waits behind getters until the log
 * reads them, when nobody is waiting any more.
 */
export function logEntry(call: RecordedCall, redactor: Redactor): CallEntry {
  return new LogEntry(call, redactor);
}

/** A class, since its getters are made once and not for every call. */
class LogEntry implements CallEntry {
  readonly #call: RecordedCall;
  readonly #redactor: Redactor;

  constructor(call: RecordedCall, redactor: Redactor) {
    this.#call = call;
    this.#redactor = redactor;
  }

  get id() {
    return this.#call.id;
  }

  get at() {
    return this.#call.at;
  }

  get caller() {
    return this.#redactor.redact(this.#call.caller.name);
  }

  get toolId() {
    return this.#call.toolId;
  }

  get connectorId() {
    return this.#call.connectorId;
  }

  get args() {
    return this.#clean(withoutCredentials(this.#call.args));
  }

  get outcome() {
    return this.#call.error === null ? 'ok' : 'error';
  }

  get code() {
    return this.#call.error?.code ?? null;
  }

  get message() {
    const { error } = this.#call;
    return error === null ? null : this.#redactor.redact(error.message);
  }

  get durationMs() {
    return rounded(this.#call.durationMs);
  }

  get stages() {
    let json = '';
    // Names of stages need no escapes.
    for (const [name, ms] of this.#call.stages) json += `${json === '' ? '{' : ','}"${name}":${rounded(ms)}`;
    return new JsonText(json === '' ? '{}' : `${json}}`);
  }

  get trace() {
    const redact = (text: string) => this.#redactor.redact(text);
    const { job } = this.#call.trace;
    return this.#clean({ request: traceJob(job, redact), response: traceResponse(this.#call, redact) });
  }

  /** Arguments came as JSON, and a trace is made of texts and numbers. */
  #clean(value: unknown): JsonText {
    return new JsonText(this.#redactor.redactJson((value ?? null) as JsonValue).json);
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

type RedactText = (text: string) => string;

/** Redacted before it is cut: half a secret at the edge would not be recognised. */
function head(text: string, chars: number, redact: RedactText): string {
  return redact(text.slice(0, chars * 2)).slice(0, chars);
}

/** The end of what a terminal printed says how it went. */
function tail(text: string, chars: number, redact: RedactText): string {
  return redact(text.slice(-chars * 2))
    .slice(-chars)
    .toWellFormed();
}

function traceJob(job: Job | null, redact: RedactText): unknown {
  if (job === null) return null;
  if (job.protocol === 'shell') return { argv: job.argv, env: job.env, cwd: job.cwd };
  if (job.protocol === 'ssh') return traceSsh(job);
  if (job.protocol === 'browser') return { tab: job.acquire, runner: job.runner, frame: job.frame };
  const { method, url, body } = job;
  return {
    method,
    url,
    headers: redactHeaders(job.headers, redact),
    body: body === null ? null : head(body, MAX_TRACE_BODY, redact),
  };
}

/** Where it went and what was typed there; what it logged in with is left out. */
function traceSsh({ target, jump, commands }: SshJob): unknown {
  const place = ({ host, port, username }: SshJob['target']) => ({ host, port, username });
  return { ssh: place(target), jump: jump === null ? null : place(jump), commands };
}

/** One of them is usually the credential. Masked here, it spares the whole trace the slow way through the redactor. */
function redactHeaders(headers: Readonly<Record<string, string>>, redact: RedactText): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const name in headers) clean[name] = redact(headers[name] ?? '');
  return clean;
}

/** The beginning of an answer is enough to see what went wrong; the whole may be megabytes. */
function traceResponse({ caller, error, trace: { response } }: RecordedCall, redact: RedactText): unknown {
  if (response === null) return null;
  const chars = caller.name === 'settings' ? TRIED_CHARS : error === null ? OK_HEAD_CHARS : HEAD_CHARS;
  if (response.kind === 'shell') {
    const { exitCode, signal, stdout, stderr } = response;
    return { exit_code: exitCode, signal, stdout: head(stdout, chars, redact), stderr: head(stderr, chars, redact) };
  }
  if (response.kind === 'ssh') {
    const { output, captured } = response;
    return { output: tail(output, TERMINAL_CHARS, redact), captured };
  }
  if (response.kind === 'browser') {
    const { url, timings, text } = response;
    return { url, timings, head: head(text, chars, redact) };
  }
  const { status, statusText, headers, body } = response;
  const text = body.subarray(0, chars * 2 * MAX_CHAR_BYTES).toString('utf8');
  return { status, status_text: statusText, headers, head: head(text, chars, redact) };
}
