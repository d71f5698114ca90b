import type { FileStore } from '../results/files.ts';
import { noResult, type ResultStore } from '../results/handles.ts';
import { mayReadFrom, type CallerLimits } from '../tools/caller-limits.ts';

type Readable = Pick<ResultStore, 'get' | 'read'>;

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
