import { ForgeError } from '../../shared/errors.ts';
import type { FileStore } from '../results/files.ts';
import type { ResultStore } from '../results/handles.ts';
import { renderResult } from '../results/render.ts';
import type { Response } from '../runners/response.ts';
import type { Masker } from '../secrets/masker.ts';
import { finishResponse, type Called, type FinishedParts } from './finish-response.ts';
import type { LargeResults } from './large-results.ts';

/** What the caller of a tool gets. */
export type Finished =
  | (Extract<FinishedParts, { ok: true }> & {
      /** The same as text for a model. */
      text: () => string;
    })
  | { ok: false; error: ForgeError };

/** Stage 8. Only large responses have to be waited for. */
export type FinishResult = (entry: Called, response: Response, masker: Masker) => Finished | Promise<Finished>;

export interface FinishDeps {
  results: ResultStore;
  files: FileStore;
  large?: LargeResults | null;
}

/** Makes results of responses; large ones in a thread of their own, so that nobody else waits for them. */
export function createFinishResult({ results, files, large = null }: FinishDeps): FinishResult {
  return (entry, response, masker) =>
    large?.takes(response) === true
      ? large.finish(entry, response, masker, { results, files }).then(finished)
      : finished(finishResponse(entry, response, masker, { results, files }));
}

function finished(parts: FinishedParts): Finished {
  if (parts.ok) return { ...parts, text: () => renderResult(parts.result, parts.response) };
  const { code, message, hint, details } = parts.error;
  return { ok: false, error: new ForgeError(code, message, { hint, ...(details === undefined ? {} : { details }) }) };
}
