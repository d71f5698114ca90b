import type { WatchSummary } from '../../watches-api.ts';
import { isActive } from '../watches/watch-words.ts';

type Link = Pick<WatchSummary, 'id' | 'parent_id' | 'depth' | 'call_id' | 'state'>;

/**
 * What is shown beside each call of a conversation: of the chain that it has begun, the last link that is still active, or the last.
 * The latest come first.
 */
export function watchesByCall<W extends Link>(latestFirst: readonly W[]): Map<string, W> {
  const byId = new Map(latestFirst.map((watch) => [watch.id, watch]));
  const shown = new Map<string, W>();
  for (const watch of latestFirst) {
    const root = rootOf(watch, byId);
    if (root === null) continue;
    const before = shown.get(root.call_id);
    if (before === undefined || rank(watch) > rank(before)) shown.set(root.call_id, watch);
  }
  return shown;
}

/** Null when the beginning of its chain is not among them. */
function rootOf<W extends Link>(watch: W, byId: ReadonlyMap<string, W>): W | null {
  let link: W | undefined = watch;
  while (link !== undefined && link.parent_id !== null) link = byId.get(link.parent_id);
  return link ?? null;
}

const DEEPER_THAN_ANY = 1000;

function rank({ state, depth }: Link): number {
  return depth + (isActive(state) ? DEEPER_THAN_ANY : 0);
}
