import type { CallColumns } from './call.ts';
import { chainHash, isUnkeyed, keylessHashes, type Link } from './chain.ts';
import type { KeySegment } from './log-keys.ts';

/** What is known about a row by its hash. */
export type HashKind = 'keyed' | 'keyless' | 'unkeyed' | 'changed' | 'no key';

/** Whether a row has the hash that it must have at its place in the chain: from a key's first row on, only its hashes hold. */
export function checkHash(
  segments: readonly KeySegment[],
  previous: string,
  seq: number,
  columns: CallColumns,
  hash: string,
): HashKind {
  const segment = segments.findLast(({ after }) => after.seq < seq);
  if (segment === undefined) return keylessHashes(previous, seq, columns).includes(hash) ? 'keyless' : 'changed';
  if (isUnkeyed(hash)) return hash === chainHash(null, previous, seq, columns) ? 'unkeyed' : 'changed';
  if (segment.keys === null) return 'no key';
  return hash === chainHash(segment.keys.rows, previous, seq, columns) ? 'keyed' : 'changed';
}

/** A key is sealed together with the row that it follows: another row in that place was put there afterwards. */
export function isBoundaryBroken(segments: readonly KeySegment[], last: Link): boolean {
  return segments.some(({ after, keys }) => keys !== null && after.seq === last.seq && after.hash !== last.hash);
}
