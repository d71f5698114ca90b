import { ForgeError } from '../../shared/errors.ts';

const MAX_IN_FLIGHT = 100;

/** What counts when nobody says which browser a call should go to. */
export interface Candidate {
  paused: boolean;
  /** A number that grows with every use; the largest was active last. */
  activeAt: number;
  /** The same for the last call of each connector that went well. */
  succeededAt: ReadonlyMap<string, number>;
}

/** One that is not paused; of those the one where this connector worked last, else the one that was active last (K-55). */
export function chooseBrowser<C extends Candidate>(candidates: Iterable<C>, connector: string): C | null {
  let best: C | null = null;
  for (const candidate of candidates) if (best === null || isBetter(candidate, best, connector)) best = candidate;
  return best;
}

function isBetter(one: Candidate, other: Candidate, connector: string): boolean {
  if (one.paused !== other.paused) return !one.paused;
  const [ours = 0, theirs = 0] = [one.succeededAt.get(connector), other.succeededAt.get(connector)];
  return ours === theirs ? one.activeAt > other.activeAt : ours > theirs;
}

/** Throws when a browser cannot be asked now. */
export function requireUsable(one: { browser: { name: string }; paused: boolean; inFlight: number }): void {
  const { browser, paused, inFlight } = one;
  if (paused) throw new ForgeError('browser_paused', `Forge is paused in ${browser.name}`);
  if (inFlight >= MAX_IN_FLIGHT)
    throw new ForgeError('browser_busy', `${browser.name} has ${inFlight} calls to answer`);
}
