import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { Tool } from '../../shared/manifest/connector.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
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
import type { Projection } from '../results/project.ts';
import { renderResult } from '../results/render.ts';
import type { Response } from '../runners/response.ts';
import type { Redactor } from '../secrets/redact.ts';

/** What the caller of a tool gets. */
export type Finished =
  | {
      ok: true;
      result: JsonValue;
      /** The result's JSON text; whoever sends it on need not write it again. */
      json: string;
      response?: ResponseLine;
      /** Where the whole of a result that was cut can be read. */
      handle?: string;
      /** The same as text for a model. */
      text: () => string;
    }
  | { ok: false; error: ForgeError };

/** Stage 8. */
export type FinishResult = (entry: Called, response: Response) => Finished;

type Called = Pick<ToolEntry, 'package' | 'connector' | 'tool'>;

export interface FinishDeps {
  results: ResultStore;
  files: FileStore;
  redactor: Redactor;
}

/** Makes a result of a response: normalised, projected, redacted, and cut to what a model can read. */
export function createFinishResult({ results, files: kept, redactor }: FinishDeps): FinishResult {
  const files = redactedFiles(kept, redactor);
  return (entry, response) => {
    const outcome = normalise(entry, response, files, redactor);
    if (!outcome.ok) {
      const { code, message, hint, details } = outcome.error;
      const clean = details === undefined ? {} : { details: redactor.redactValue(details) };
      return {
        ok: false,
        error: new ForgeError(code, redactor.redact(message), { hint: redactor.redact(hint), ...clean }),
      };
    }
    const clean = redactor.redactJson(outcome.value, outcome.json);
    const line = outcome.response === undefined ? undefined : redactLine(outcome.response, redactor);
    const capped = capResult(clean.value, results, {
      ...{ chars: charsOfResult(clean), json: clean.json, origin: entry },
    });
    return {
      ok: true,
      result: capped.value,
      json: capped.value === clean.value ? clean.json : JSON.stringify(capped.value),
      ...(line === undefined ? {} : { response: line }),
      ...(capped.handle === null ? {} : { handle: capped.handle }),
      text: () => renderResult(capped.value, line),
    };
  };
}

/** Its few short texts, each by itself: the redactor knows most of them from the calls before. */
function redactLine({ method, url, status, statusText, headers }: ResponseLine, redactor: Redactor): ResponseLine {
  const clean: Record<string, string> = {};
  for (const name in headers) clean[redactor.redact(name)] = redactor.redact(headers[name] ?? '');
  return { method, url: redactor.redact(url), status, statusText: redactor.redact(statusText), headers: clean };
}

/** A text counts as it is, everything else as JSON. */
function charsOfResult({ value, json }: { value: JsonValue; json: string }): number {
  return typeof value === 'string' ? value.length : json.length;
}

/** A file is kept and handed on like any other result. */
function redactedFiles(files: FileStore, redactor: Redactor): Pick<FileStore, 'save'> {
  return {
    save: (file) =>
      files.save({ ...file, filename: redactor.redact(file.filename), bytes: redactor.redactBytes(file.bytes) }),
  };
}

function normalise(entry: Called, response: Response, files: Pick<FileStore, 'save'>, redactor: Redactor): Outcome {
  const { tool } = entry;
  // A tool carries its own projection; the same object each time, so that it is compiled once.
  const projection: Projection = tool;
  if (response.kind === 'shell') {
    const okExitCodes = tool.protocol === 'shell' ? tool.ok_exit_codes : [0];
    return normaliseShell(response, { redactor, program: programOf(tool), projection, okExitCodes });
  }
  if (response.kind === 'ssh') return normaliseSsh(response, { redactor, projection });
  if (response.kind === 'browser') return normaliseScript(response.text, { files, projection, origin: entry });
  const captureHeaders = tool.protocol === 'http' ? (tool.request.capture_response_headers ?? []) : [];
  return normaliseHttp(response, { projection, captureHeaders, files, redactor, origin: entry });
}

function programOf(tool: Tool): string {
  return tool.protocol === 'shell' ? String(tool.command[0]) : tool.name;
}
