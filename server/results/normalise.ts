import { STATUS_CODES } from 'node:http';
import { ERRORS } from '../../shared/error-table.ts';
import { isForgeError, type ErrorCode, type ForgeError } from '../../shared/errors.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../shared/json.ts';
import { answerProblem, resultProblem } from './check-answer.ts';
import { errorTextOf, type CutRedactor } from './error-text.ts';
import type { FileEntry, FileStore } from './files.ts';
import { extensionOf } from './media-type.ts';
import type { Origin } from './origin.ts';
import { looksLikeJson, parseJson, parseJsonLines } from './parse-json.ts';
import { projectResult, type Projection } from './project.ts';
import { headerOf, readHttpBody, type ReadBody } from './read-body.ts';
import { readScriptFiles } from './script-files.ts';
import { parseUrl } from '../../shared/parse-url.ts';

/** The first line and the wanted headers of an HTTP response. */
export interface ResponseLine {
  method: string;
  url: string;
  status: number;
  statusText: string;
  headers: Record<string, string>;
}

/** What the caller can act on: a code of the table, what happened, and what to do next. */
export interface OutcomeError {
  code: ErrorCode;
  message: string;
  hint: string;
  details?: JsonValue;
}

/** What a call came to, before it is redacted and capped. */
export type Outcome =
  | {
      ok: true;
      value: JsonValue;
      files: FileEntry[];
      response?: ResponseLine;
      /** The value's JSON, where it came as that and nothing was changed. */
      json?: string;
    }
  | { ok: false; error: OutcomeError };

/** What came back over HTTP; the part of it that a result is made of. */
export interface HttpAnswer {
  method: string;
  url: string;
  status: number;
  statusText: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  redirectedTo: string | null;
}

/** How a program ended; the part of it that a result is made of. */
export interface ShellAnswer {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  droppedBytes: number;
}

/** What a terminal on another computer printed; the part of it that a result is made of. */
export interface SshAnswer {
  output: string;
  droppedBytes: number;
  captured: Record<string, string>;
  failure: ForgeError | null;
}

/** Where files go, and the tool that brings them. */
interface Saving {
  files: Pick<FileStore, 'save'>;
  origin?: Origin;
}

type ScriptOptions = { projection?: Projection; redactor?: CutRedactor } & Saving;

const NO_PROJECTION: Projection = {};
const TAIL_CHARS = 1000;
const LOGIN_FIELD = /<input\b[^>]{0,1000}?\btype\s*=\s*["']?password\b/i;
/** A login page has its form near its beginning, and looking further would only cost time. */
const LOGIN_CHARS = 200_000;
const LOGIN_ADDRESS = /log[-_]?[io]n|sign[-_]?in|\bsso\b|oauth|\bauth\b|saml/i;

/** Makes a result of an HTTP response, or an error that says what the service answered. */
export function normaliseHttp(
  answer: HttpAnswer,
  options: { projection: Projection; captureHeaders: readonly string[]; redactor: CutRedactor } & Saving,
): Outcome {
  const line = responseLine(answer, options.captureHeaders);
  if (answer.redirectedTo !== null) return redirected(line, answer.redirectedTo);
  const body = readHttpBody(answer.headers, answer.body);
  if (answer.status >= 400) return refused(line, body, headerOf(answer.headers, 'retry-after'), options.redactor);
  if (body.kind === 'binary') {
    const filename = body.filename ?? nameFromUrl(answer.url, body.contentType);
    const file = options.files.save({
      ...{ filename, bytes: answer.body, contentType: body.contentType },
      ...(options.origin === undefined ? {} : { origin: options.origin }),
    });
    return handOn(undefined, { ...file }, options, { files: [file], response: line });
  }
  if (body.kind === 'text' && body.isHtml && LOGIN_FIELD.test(body.text.slice(0, LOGIN_CHARS))) {
    return failure('login_required', `${describeLine(line)} answered with a login page`);
  }
  if (body.kind !== 'json')
    return handOn(undefined, body.kind === 'text' ? body.text : null, options, { files: [], response: line });
  const outcome = handOn(body.value, projectResult(body.value, options.projection), options, {
    files: [],
    response: line,
  });
  const { text: json, value } = body;
  const isWhole = outcome.ok && outcome.value === value && json !== undefined && isPlainJson(json);
  return isWhole ? { ...outcome, json } : outcome;
}

/** A result, unless the tool's own checks say that it is a failure. `raw` is the whole answer as JSON, if it is any. */
function handOn(
  raw: JsonValue | undefined,
  value: JsonValue,
  { projection = NO_PROJECTION, redactor = PLAIN }: { projection?: Projection; redactor?: CutRedactor },
  rest: Pick<Extract<Outcome, { ok: true }>, 'files' | 'response'>,
): Outcome {
  const { files, response } = rest;
  const where = (): string => (response === undefined ? '' : `${describeLine(response)}: `);
  const problem = answerProblem(raw, projection, redactor);
  if (problem !== null) return failure(response === undefined ? 'tool_error' : 'upstream_error', where() + problem);
  const missing = resultProblem(value, projection);
  if (missing !== null) return failure('unexpected_result', where() + missing);
  return response === undefined ? { ok: true, value, files } : { ok: true, value, files, response };
}

/** For results that hold no secrets. */
const PLAIN: CutRedactor = { redact: (text) => text, redactValue: (value) => value };

/** Makes a result of what a program printed, or an error of how it failed. */
export function normaliseShell(
  answer: ShellAnswer,
  options: { redactor: CutRedactor; program?: string; projection?: Projection; okExitCodes?: readonly number[] },
): Outcome {
  const { redactor, program = 'the command', projection = NO_PROJECTION, okExitCodes = [0] } = options;
  if (answer.exitCode === null || !okExitCodes.includes(answer.exitCode))
    return failedProgram(answer, program, redactor);
  // Many programs report what they did on stderr only, and an empty result says less.
  const text = trimLines(answer.stdout) || trimLines(answer.stderr);
  if (answer.droppedBytes > 0) {
    return { ok: true, value: `[the first ${answer.droppedBytes} bytes were dropped]\n${text}`, files: [] };
  }
  const value = looksLikeJson(text) ? (parseJson(text) ?? parseJsonLines(text)) : undefined;
  const shown = value === undefined ? text : projectResult(value, projection);
  return handOn(value, shown, { projection, redactor }, { files: [] });
}

/** Makes a result of what a terminal printed, or an error that keeps what it printed last (W-11). */
export function normaliseSsh(
  answer: SshAnswer,
  { redactor, projection = NO_PROJECTION }: { redactor: CutRedactor; projection?: Projection },
): Outcome {
  const { failure: failed, captured, droppedBytes } = answer;
  const text = trimLines(answer.output);
  if (failed !== null) {
    const { code, message, hint, details } = failed;
    const more = isRecord(details) ? (details as JsonObject) : {}; // what the runner says in JSON values
    return failure(code, message, { hint, details: { ...more, output: tail(text, redactor), captured } });
  }
  const output = droppedBytes > 0 ? `[the first ${droppedBytes} bytes were dropped]\n${text}` : text;
  const value = { ok: true, output, captured };
  return handOn(value, projectResult(value, projection), { projection, redactor }, { files: [] });
}

/** Makes a result of the JSON text a script returned: `_error` becomes a failure, and what is in `_files` is saved. */
export function normaliseScript(text: string, options: ScriptOptions): Outcome {
  const value = parseJson(text);
  if (value === undefined) {
    return failure('result_not_json', 'the tool’s script returned something that is not JSON, or is nested too deep');
  }
  const outcome = outcomeOf(value, options);
  return outcome.ok && outcome.value === value && isPlainJson(text) ? { ...outcome, json: text } : outcome;
}

/** A page or a service may write JSON as it likes. Without escapes and line breaks a text says the same wherever it is put, and hides nothing. */
function isPlainJson(text: string): boolean {
  return !text.includes('\\') && !text.includes('\n') && !text.includes('\r');
}

function outcomeOf(value: JsonValue, options: ScriptOptions): Outcome {
  const { files, origin, projection = NO_PROJECTION } = options;
  const project = (whole: JsonValue, saved: FileEntry[]): Outcome =>
    handOn(whole, projectResult(whole, projection), options, { files: saved });
  if (!isRecord(value)) return project(value, []);
  const error = value._error;
  if (error !== undefined && error !== null && error !== false) return failure('tool_error', messageOf(error));
  if (value._files === undefined || value._files === null) return project(value, []);
  try {
    const saved = readScriptFiles(value._files).map((file) =>
      files.save(origin === undefined ? file : { ...file, origin }),
    );
    return project({ ...value, _files: saved.map((file) => ({ ...file })) }, saved);
  } catch (caught) {
    if (!isForgeError(caught, 'tool_error')) throw caught;
    return failure('tool_error', caught.message, { hint: caught.hint });
  }
}

/** The line that says which request was answered how. */
export function describeLine({ method, url, status, statusText }: ResponseLine): string {
  return `HTTP ${status}${statusText === '' ? '' : ` ${statusText}`} · ${method} ${url}`;
}

function responseLine(answer: HttpAnswer, captured: readonly string[]): ResponseLine {
  const headers: Record<string, string> = {};
  for (const name of captured) {
    const value = headerOf(answer.headers, name.toLowerCase());
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  const { method, url, status } = answer;
  // HTTP/2 has no reason phrase.
  return { method, url, status, statusText: answer.statusText || (STATUS_CODES[status] ?? ''), headers };
}

function redirected(line: ResponseLine, target: string): Outcome {
  const details = { status: line.status, redirected_to: target };
  const message = `${describeLine(line)} pointed to ${target}, which was not followed`;
  if (!LOGIN_ADDRESS.test(target)) return failure('redirect_refused', message, { details });
  const hint = 'It looks like a login page: check the login saved in the connector’s settings, and its base address.';
  return failure('login_required', message, { hint, details });
}

function refused(line: ResponseLine, body: ReadBody, retryAfter: string | undefined, redactor: CutRedactor): Outcome {
  const said = errorTextOf(body, redactor);
  const message = said === '' ? describeLine(line) : `${describeLine(line)}: ${said}`;
  const code = line.status === 401 ? 'login_required' : 'upstream_error';
  return failure(code, message, { ...refusedHint(line.status, retryAfter), details: { status: line.status } });
}

function refusedHint(status: number, retryAfter: string | undefined): { hint?: string } {
  if (retryAfter !== undefined && (status === 429 || status === 503)) {
    const wait = /^\d+$/.test(retryAfter) ? `${retryAfter} seconds` : `until ${retryAfter}`;
    return { hint: `The service asks to wait ${wait} before the next try.` };
  }
  if (status === 403) return { hint: 'The login saved in the connector’s settings may not do this.' };
  return {};
}

function nameFromUrl(url: string, contentType: string): string {
  const extension = extensionOf(contentType);
  const last = parseUrl(url)?.pathname.split('/').at(-1) ?? '';
  if (last === '') return `download${extension}`;
  return last.includes('.') ? last : last + extension;
}

function failedProgram(answer: ShellAnswer, program: string, redactor: CutRedactor): Outcome {
  const { exitCode, signal } = answer;
  const how = exitCode === null ? `was ended by ${signal ?? 'the system'}` : `exited with code ${exitCode}`;
  const said = tail(trimLines(answer.stderr) || trimLines(answer.stdout), redactor);
  const printed = trimLines(answer.stderr) === '' ? '' : tail(trimLines(answer.stdout), redactor);
  return failure('command_failed', `${program} ${how}${said === '' ? ' and printed nothing' : `: ${said}`}`, {
    ...(exitCode === 1 && said === '' ? { hint: 'Many programs end like this when they found nothing.' } : {}),
    details: {
      exit_code: exitCode,
      ...(signal === null ? {} : { signal }),
      ...(printed === '' ? {} : { stdout: printed }),
    },
  });
}

/** Drops blank lines at both ends, but not the spaces a first column may begin with. */
function trimLines(text: string): string {
  return text.replace(/^(?:[ \t\r]*\n)+/, '').trimEnd();
}

function tail(text: string, redactor: CutRedactor): string {
  const clean = redactor.redact(text);
  return clean.length <= TAIL_CHARS ? clean : `…${clean.slice(-TAIL_CHARS).toWellFormed()}`;
}

function messageOf(error: JsonValue): string {
  if (typeof error !== 'string') return JSON.stringify(error);
  return error.trim() === '' ? 'the tool reported a failure and gave no reason' : error;
}

function failure(code: ErrorCode, message: string, more: { hint?: string; details?: JsonValue } = {}): Outcome {
  return { ok: false, error: { code, message, hint: ERRORS[code].hint, ...more } };
}
