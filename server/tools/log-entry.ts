import { isAscii } from 'node:buffer';
import { isForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import { isTooDeep, JsonText, NOT_KEPT, type CallEntry } from '../calls/call.ts';
import type { HttpRequest, Job, SshJob } from '../runners/job.ts';
import { responseSize, type HttpResponse, type Response } from '../runners/response.ts';
import type { Masker } from '../secrets/masker.ts';
import { withoutCredentials } from './credential-arguments.ts';
import { withoutCredentialHeaders } from './credential-headers.ts';
import type { RecordedCall } from './hooks.ts';

/** Of an answer that was a success the result says more than the log could. */
const OK_HEAD_CHARS = 200;
const HEAD_CHARS = 2000;
/** Who tries a tool out on its page looks at the answer itself, and may keep it as a fixture. */
const TRIED_CHARS = 20_000;
/** Of an answer in any language as many characters are kept: one that looks whole because it has fewer is taken for whole. */
const MAX_CHAR_BYTES = 3;
const MAX_TRACE_BODY = 4000;
const TERMINAL_CHARS = 4000;
/** A larger response is not kept until other calls are recorded with it. */
const MAX_WAITING_BYTES = 64 * 1024;

/**
 * A call as the log keeps it. Redacting costs more than all other stages together, so it waits behind getters until the log
 * reads them, when nobody is waiting any more.
 */
export function logEntry(call: RecordedCall): CallEntry {
  return new LogEntry(call);
}

/** The same for a call that has not begun: what would be sent, and how it ends is not known. */
export function intentEntry(call: RecordedCall): CallEntry {
  return new IntentEntry(call);
}

/** A class, since its getters are made once and not for every call. */
class LogEntry implements CallEntry {
  readonly #call: RecordedCall;

  constructor(call: RecordedCall) {
    this.#call = call;
  }

  get id() {
    return this.#call.id;
  }

  get at() {
    return this.#call.at;
  }

  get caller() {
    return this.#call.masks.sent.redact(this.#call.caller.name);
  }

  get toolId() {
    return this.#call.toolId;
  }

  get connectorId() {
    return this.#call.connectorId;
  }

  get args() {
    const args = withoutCredentials(this.#call.args);
    return isTooDeep(args) ? NOT_KEPT : new JsonText(cleanJson(args, this.#call.masks.sent));
  }

  get isLarge() {
    const { response } = this.#call.trace;
    return response !== null && responseSize(response) > MAX_WAITING_BYTES;
  }

  get outcome(): CallEntry['outcome'] {
    return this.#call.error === null ? 'ok' : 'error';
  }

  get code() {
    return this.#call.error?.code ?? null;
  }

  get message() {
    return this.#call.error?.message ?? null;
  }

  get durationMs() {
    return this.#call.durationMs;
  }

  get stages() {
    let json = '';
    // Names of stages need no escapes.
    for (const [name, ms] of this.#call.stages) json += `${json === '' ? '{' : ','}"${name}":${msJson(ms)}`;
    return new JsonText(json === '' ? '{}' : `${json}}`);
  }

  /** Each text is redacted by itself: most come again with every call, and the redactor knows their JSON. */
  get trace() {
    const { masks, trace, caller, approvalId } = this.#call;
    const request = jobJson(shownJob(trace), masks.sent);
    const { kind } = caller;
    // A caller's kind is one of a few words, and a part of the trace, so that rows of before keep their hashes.
    const asked = approvalId === null ? '' : `"approval_id":${JSON.stringify(approvalId)},`;
    return new JsonText(
      `{"caller_kind":"${kind}",${asked}"request":${request},"response":${responseJson(this.#call, masks.received)}}`,
    );
  }
}

class IntentEntry extends LogEntry {
  override get outcome(): CallEntry['outcome'] {
    return 'started';
  }
}

function cleanJson(value: unknown, masker: Masker): string {
  // Arguments came as JSON, and a trace is made of texts and numbers.
  return masker.redactJson((value ?? null) as JsonValue).json;
}

/** Each microsecond of a millisecond as it is written behind the point: most stages of most calls are shorter than one. */
const DECIMALS = Array.from({ length: 1000 }, (_, us) => `.${String(us).padStart(3, '0')}`);

/** Milliseconds as JSON, to the microsecond. Whole numbers are written several times as fast as fractions. */
function msJson(ms: number): string {
  const us = Math.max(0, Math.round(ms * 1000));
  const rest = us % 1000;
  return String((us - rest) / 1000) + (DECIMALS[rest] ?? '');
}

/**
 * Redacted before it is cut: half a secret at the edge would not be recognised. Twice as much is looked at, so the edge of that is
 * far behind the cut, unless masks have drawn it near; then what may be the beginning of a secret is left out.
 */
function head(text: string, chars: number, masker: Masker, isWhole = text.length <= chars * 2): string {
  const seen = text.slice(0, chars * 2);
  const clean = masker.redact(seen);
  if (isWhole || clean.length >= seen.length) return clean.slice(0, chars);
  return masker.stream().push(seen).slice(0, chars);
}

/** The end of what a terminal printed says how it went. */
function tail(text: string, chars: number, masker: Masker): string {
  return masker.redact(text).slice(-chars).toWellFormed();
}

/** A request that cannot be written without its secrets, such as one whose host is one, is not written at all. */
function shownJob({ job }: RecordedCall['trace']): Job | null {
  try {
    return job();
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return null;
  }
}

function jobJson(job: Job | null, masker: Masker): string {
  if (job === null) return 'null';
  if (job.protocol !== 'http') return cleanJson(traceJob(job), masker);
  const { method, url, headers, body } = job;
  const sent = body === null ? 'null' : JSON.stringify(head(body, MAX_TRACE_BODY, masker));
  const [how, where] = [masker.textJson(method), masker.textJson(url)];
  const names = masker.textsJson(withoutCredentialHeaders(headers));
  return `{"method":${how},"url":${where},"headers":${names},"body":${sent}}`;
}

function traceJob(job: Exclude<Job, HttpRequest>): unknown {
  if (job.protocol === 'shell') return { argv: job.argv, env: job.env, cwd: job.cwd };
  if (job.protocol === 'ssh') return traceSsh(job);
  return { tab: job.acquire, runner: job.runner, frame: job.frame };
}

/** Where it went and what was typed there; what it logged in with is left out. */
function traceSsh({ target, jump, commands }: SshJob): unknown {
  const place = ({ host, port, username }: SshJob['target']) => ({ host, port, username });
  return { ssh: place(target), jump: jump === null ? null : place(jump), commands };
}

/** The beginning of an answer is enough to see what went wrong; the whole may be megabytes. */
function responseJson({ caller, error, trace: { response } }: RecordedCall, masker: Masker): string {
  if (response === null) return 'null';
  const chars = caller.name === 'settings' ? TRIED_CHARS : error === null ? OK_HEAD_CHARS : HEAD_CHARS;
  if (response.kind !== 'http') return cleanJson(traceResponse(response, chars, masker), masker);
  const { status, statusText, headers, body } = response;
  const { text, isWhole } = beginning(body, chars * 2);
  const [said, begin] = [masker.textJson(statusText), JSON.stringify(head(text, chars, masker, isWhole))];
  const names = masker.textsJson(withoutCredentialHeaders(headers));
  return `{"status":${status},"status_text":${said},"headers":${names},"head":${begin}}`;
}

/** At least so many characters of a body, as far as it has them. */
function beginning(body: Buffer, chars: number): { text: string; isWhole: boolean } {
  const first = body.subarray(0, chars);
  const isPlain = isAscii(first);
  const seen = isPlain ? first : body.subarray(0, chars * MAX_CHAR_BYTES);
  const text = seen.toString(isPlain ? 'latin1' : 'utf8');
  return { text, isWhole: seen.length === body.length && text.length <= chars };
}

function traceResponse(response: Exclude<Response, HttpResponse>, chars: number, masker: Masker): unknown {
  if (response.kind === 'shell') {
    const { exitCode, signal, stdout, stderr } = response;
    const [out, problems] = [head(stdout, chars, masker), head(stderr, chars, masker)];
    return { exit_code: exitCode, signal, stdout: out, stderr: problems };
  }
  if (response.kind === 'ssh') {
    const { output, captured } = response;
    return { output: tail(output, TERMINAL_CHARS, masker), captured };
  }
  const { url, timings, text } = response;
  return { url, timings, head: head(text, chars, masker) };
}
