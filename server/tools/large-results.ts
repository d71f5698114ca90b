import { ForgeError } from '../../shared/errors.ts';
import { createSideThread, ThreadTimeout } from '../base/side-thread.ts';
import type { FileStore } from '../results/files.ts';
import type { ReadLarge, ResultStore } from '../results/handles.ts';
import type { ResultPage, ResultWindow } from '../results/read-window.ts';
import { responseSize, type Response } from '../runners/response.ts';
import type { FinderData } from '../secrets/finder.ts';
import type { Masker } from '../secrets/masker.ts';
import type { Called, FinishedParts } from './finish-response.ts';

/** What the thread is asked. */
export type LargeRequest =
  | { kind: 'finish'; entry: Called; response: Response; masker: FinderData[] }
  | { kind: 'read'; handle: string; json: Uint8Array; window: ResultWindow };

/** What it answers to `finish`. The whole of a result that was cut comes in memory that both threads see. */
export interface LargeAnswer {
  parts: FinishedParts;
  kept: { handle: string; json: Uint8Array } | null;
  fileIds: string[];
}

export interface LargeResults {
  /** Whether a response is large enough to be worth the way. */
  takes(response: Response): boolean;
  finish(entry: Called, response: Response, masker: Masker, stores: Stores): Promise<FinishedParts>;
  read: ReadLarge;
  close(): void;
}

interface Stores {
  results: Pick<ResultStore, 'adopt'>;
  files: Pick<FileStore, 'adopt'>;
}

/** Many times what the largest response takes. */
const LIMIT_MS = 30_000;
/** About 5 ms of work. */
const LARGE_BYTES = 256 * 1024;

/** Null where the thread's code is not bundled. */
export function createLargeResults(script: URL, filesFolder: string): LargeResults | null {
  const thread = createSideThread<LargeRequest>({
    name: 'large-results',
    script,
    workerData: { filesFolder },
    limitMs: LIMIT_MS,
  });
  if (thread === null) return null;
  return {
    // A failure over ssh is an object of a class, which does not survive the way; a transcript is short.
    takes: (response) => response.kind !== 'ssh' && responseSize(response) > LARGE_BYTES,
    finish: async ({ connector, package: pack, tool }, response, masker, { results, files }) => {
      const entry = { connector: { id: connector.id }, package: { id: pack.id }, tool };
      const answer = await thread.ask({ kind: 'finish', entry, response, masker: masker.data() }).catch(tooLarge);
      const { parts, kept, fileIds } = answer as LargeAnswer; // as large-results-thread.ts answers
      for (const id of fileIds) files.adopt(id, entry);
      if (kept !== null) results.adopt(kept.handle, kept.json, entry);
      return parts;
    },
    read: async (handle, json, window) =>
      (await thread.ask({ kind: 'read', handle, json, window }).catch(tooLarge)) as ResultPage,
    close: () => thread.close(),
  };
}

function tooLarge(error: unknown): never {
  if (!(error instanceof ThreadTimeout)) throw error;
  throw new ForgeError('response_too_large', 'the answer takes too long to read', { cause: error });
}
