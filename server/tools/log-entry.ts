import type { JsonValue } from '../../shared/json.ts';
import { JsonText, type CallEntry } from '../calls/call.ts';
import type { Job } from '../runners/job.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { RecordedCall } from './hooks.ts';

/** Of an answer that was a success the result says more than the log could. */
const OK_HEAD_CHARS = 400;
const HEAD_CHARS = 2000;
const MAX_TRACE_BODY = 4000;

/**
 * A call as the log keeps it. Redacting costs more than all other stages together, so it waits behind getters until the log
 * writes its batch, when nobody is waiting any more.
 */
export function logEntry(call: RecordedCall, redactor: Redactor): CallEntry {
  const redact = (text: string) => redactor.redact(text);
  // Arguments came as JSON, and a trace is made of texts and numbers.
  const clean = (value: unknown) => new JsonText(redactor.redactJson((value ?? null) as JsonValue).json);
  return {
    id: call.id,
    at: call.at,
    get caller() {
      return redact(call.caller.name);
    },
    toolId: call.toolId,
    connectorId: call.connectorId,
    outcome: call.error === null ? 'ok' : 'error',
    code: call.error?.code ?? null,
    durationMs: Math.round(call.durationMs * 1000) / 1000,
    stages: Object.fromEntries(call.stages.map(([name, ms]) => [name, Math.round(ms * 1000) / 1000])),
    get message() {
      return call.error === null ? null : redact(call.error.message);
    },
    get args() {
      return clean(call.args);
    },
    get trace() {
      return clean({ request: traceJob(call.trace.job, redact), response: traceResponse(call, redact) });
    },
  };
}

type RedactText = (text: string) => string;

/** Redacted before it is cut: half a secret at the edge would not be recognised. */
function head(text: string, chars: number, redact: RedactText): string {
  return redact(text.slice(0, chars * 2)).slice(0, chars);
}

function traceJob(job: Job | null, redact: RedactText): unknown {
  if (job === null) return null;
  if (job.protocol === 'shell') return { argv: job.argv, env: job.env, cwd: job.cwd };
  if (job.protocol === 'browser') return { tab: job.acquire, runner: job.runner, frame: job.frame };
  const { method, url, body } = job;
  return {
    method,
    url,
    headers: redactHeaders(job.headers, redact),
    body: body === null ? null : head(body, MAX_TRACE_BODY, redact),
  };
}

/** One of them is usually the credential. Masked here, it spares the whole trace the slow way through the redactor. */
function redactHeaders(headers: Readonly<Record<string, string>>, redact: RedactText): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const name in headers) clean[name] = redact(headers[name] ?? '');
  return clean;
}

/** The beginning of an answer is enough to see what went wrong; the whole may be megabytes. */
function traceResponse({ error, trace: { response } }: RecordedCall, redact: RedactText): unknown {
  if (response === null) return null;
  const chars = error === null ? OK_HEAD_CHARS : HEAD_CHARS;
  if (response.kind === 'shell') {
    const { exitCode, signal, stdout, stderr } = response;
    return { exit_code: exitCode, signal, stdout: head(stdout, chars, redact), stderr: head(stderr, chars, redact) };
  }
  if (response.kind === 'browser') {
    const { url, timings, text } = response;
    return { url, timings, head: head(text, chars, redact) };
  }
  const { status, statusText, headers, body } = response;
  const text = body.subarray(0, chars * 2).toString('utf8');
  return { status, status_text: statusText, headers, head: head(text, chars, redact) };
}
