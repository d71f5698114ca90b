import type { ErrorCode } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { Tool } from '../../shared/manifest/connector.ts';
import { capResult } from '../results/cap.ts';
import type { FileStore } from '../results/files.ts';
import type { ResultStore } from '../results/handles.ts';
import {
  normaliseHttp,
  normaliseScript,
  normaliseShell,
  normaliseSsh,
  type Outcome,
  type ResponseLine,
} from '../results/normalise.ts';
import type { Origin } from '../results/origin.ts';
import type { Projection } from '../results/project.ts';
import type { Response } from '../runners/response.ts';
import type { Masker } from '../secrets/masker.ts';
import { withoutCredentialHeaders } from './credential-headers.ts';

/** What a response comes to, as plain data: it may have been made in another thread. */
export type FinishedParts =
  | {
      ok: true;
      result: JsonValue;
      /** The result's JSON text; whoever sends it on need not write it again. */
      json: string;
      response?: ResponseLine;
      /** Where the whole of a result that was cut can be read. */
      handle?: string;
    }
  | { ok: false; error: { code: ErrorCode; message: string; hint: string; details?: JsonValue } };

/** The tool that was called, and where it belongs. */
export interface Called extends Origin {
  tool: Tool;
}

export interface Keeping {
  results: Pick<ResultStore, 'put'>;
  files: Pick<FileStore, 'save'>;
}

/** Makes a result of a response: normalised, projected, redacted, and cut to what a model can read. */
export function finishResponse(
  entry: Called,
  response: Response,
  masker: Masker,
  { results, files }: Keeping,
): FinishedParts {
  const outcome = normalise(entry, response, redactedFiles(files, masker), masker);
  if (!outcome.ok) {
    const { code, message, hint, details } = outcome.error;
    const clean = details === undefined ? {} : { details: masker.redactValue(details) };
    return { ok: false, error: { code, message: masker.redact(message), hint: masker.redact(hint), ...clean } };
  }
  const clean = masker.redactJson(outcome.value, outcome.json);
  const line = outcome.response === undefined ? undefined : redactLine(outcome.response, masker);
  const capped = capResult(clean.value, results, {
    ...{ chars: charsOfResult(clean), json: clean.json, origin: entry },
  });
  return {
    ok: true,
    result: capped.value,
    json: capped.value === clean.value ? clean.json : JSON.stringify(capped.value),
    ...(line === undefined ? {} : { response: line }),
    ...(capped.handle === null ? {} : { handle: capped.handle }),
  };
}

/** Its few short texts, each by itself: the redactor knows most of them from the calls before. */
function redactLine({ method, url, status, statusText, headers }: ResponseLine, masker: Masker): ResponseLine {
  const clean: Record<string, string> = {};
  const shown = withoutCredentialHeaders(headers);
  for (const name in shown) clean[masker.redact(name)] = masker.redact(shown[name] ?? '');
  return { method, url: masker.redact(url), status, statusText: masker.redact(statusText), headers: clean };
}

/** A text counts as it is, everything else as JSON. */
function charsOfResult({ value, json }: { value: JsonValue; json: string }): number {
  return typeof value === 'string' ? value.length : json.length;
}

/** A file is kept and handed on like any other result. */
function redactedFiles(files: Pick<FileStore, 'save'>, masker: Masker): Pick<FileStore, 'save'> {
  return {
    save: (file) =>
      files.save({ ...file, filename: masker.redact(file.filename), bytes: masker.redactBytes(file.bytes) }),
  };
}

function normalise(entry: Called, response: Response, files: Pick<FileStore, 'save'>, masker: Masker): Outcome {
  const { tool } = entry;
  // A tool carries its own projection; the same object each time, so that it is compiled once.
  const projection: Projection = tool;
  if (response.kind === 'shell') {
    const okExitCodes = tool.protocol === 'shell' ? tool.ok_exit_codes : [0];
    return normaliseShell(response, { redactor: masker, program: programOf(tool), projection, okExitCodes });
  }
  if (response.kind === 'ssh') return normaliseSsh(response, { redactor: masker, projection });
  if (response.kind === 'browser')
    return normaliseScript(response.text, { files, projection, redactor: masker, origin: entry });
  const captureHeaders = tool.protocol === 'http' ? (tool.request.capture_response_headers ?? []) : [];
  return normaliseHttp(response, { projection, captureHeaders, files, redactor: masker, origin: entry });
}

function programOf(tool: Tool): string {
  return tool.protocol === 'shell' ? String(tool.command[0]) : tool.name;
}
