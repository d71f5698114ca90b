import type { JsonValue } from '../../shared/json.ts';
import type { WatchDetail } from '../../shared/watches-api.ts';
import type { Catalog, Installed } from '../connectors/catalog.ts';
import type { FileStore } from '../results/files.ts';
import { noResult, type ResultStore } from '../results/handles.ts';
import { readWindow } from '../results/read-window.ts';
import { mayReadFrom, type CallerLimits } from '../tools/caller-limits.ts';

type Readable = Pick<ResultStore, 'get' | 'read' | 'bytesOf'>;

/** What a client may know of watches: what a tool has started goes on after its call has been answered. */
export interface McpWatches {
  /** A watch, and whose it is; null when there is none of that id. */
  read(id: string): { connectorId: string; detail: WatchDetail } | null;
  /** Stops it on behalf of the client that has started it. */
  cancel(id: string): void;
  /** How long a watch is kept at least. */
  keepMs: number;
  /** Tells which watch has got further, or has ended. */
  onChange(listener: (id: string) => void): () => void;
}

export interface WatchSources {
  catalog: Pick<Catalog, 'find'>;
  watches: Pick<McpWatches, 'read'>;
}

const WATCH = /^wch_[0-9a-f]{16}$/;

/** Kept results as a client may read them: of connectors that are not for it there are none. */
export function resultsFor(
  results: Readable & Pick<ResultStore, 'originOf'>,
  limits: CallerLimits | undefined,
): Readable {
  if (limits === undefined) return results;
  const own = (handle: string): string => {
    if (mayReadFrom(results.originOf(handle), limits)) return handle;
    throw noResult();
  };
  return {
    get: (handle) => results.get(own(handle)),
    bytesOf: (handle) => results.bytesOf(own(handle)),
    read: (handle, window) => results.read(own(handle), window),
  };
}

/** The same for saved files. */
export function filesFor(
  files: Pick<FileStore, 'find' | 'originOf'>,
  limits: CallerLimits | undefined,
): Pick<FileStore, 'find'> {
  if (limits === undefined) return files;
  return { find: (id) => (mayReadFrom(files.originOf(id), limits) ? files.find(id) : null) };
}

/** Whether a client may know of a connector, or of a part of its package. */
export function mayRead({ id, package: pack }: Installed, limits: CallerLimits | undefined): boolean {
  return mayReadFrom([id, ...(pack?.connectors ?? []).map((part) => part.id)], limits);
}

/** A watch; null when there is none, or none for this client. */
export function readWatch(
  { catalog, watches }: WatchSources,
  id: string,
  limits: CallerLimits | undefined,
): WatchDetail | null {
  const found = watches.read(id);
  const installed = found === null ? null : catalog.find(found.connectorId);
  return found === null || installed === null || !mayRead(installed, limits) ? null : found.detail;
}

/** Kept results and watches by one kind of handle: a model asks for both with the same tool. */
export function readerFor(
  sources: WatchSources & { results: Readable & Pick<ResultStore, 'originOf'> },
  limits: CallerLimits | undefined,
): Pick<ResultStore, 'read'> {
  const results = resultsFor(sources.results, limits);
  return {
    read: (handle, window = {}) => {
      if (!WATCH.test(handle)) return results.read(handle, window);
      const watch = readWatch(sources, handle, limits);
      if (watch === null) throw noResult();
      // Arguments and all else of a watch came as JSON.
      return readWindow(watch as unknown as JsonValue, window);
    },
  };
}
