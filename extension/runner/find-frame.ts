import { ForgeError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import type { ScriptTarget } from '../platform/scripts.ts';
import { matchPattern } from '../tabs/match-pattern.ts';

export interface FrameInfo {
  readonly frameId: number;
  readonly url: string;
  readonly documentId: string | null;
}

interface Deps {
  listFrames: (tabId: number) => Promise<FrameInfo[]>;
  clock: Clock;
}

/** Frames are often added by scripts after the page has loaded. */
const WAIT_MS = 5000;
const LOOK_EVERY_MS = 100;

/** The first frame of a tab whose address matches, waited for a little. */
export async function findFrame(
  tabId: number,
  patternText: string,
  signal: AbortSignal,
  { listFrames, clock }: Deps,
): Promise<ScriptTarget & { url: string }> {
  const pattern = matchPattern(patternText);
  const until = clock.now() + WAIT_MS;
  for (;;) {
    signal.throwIfAborted();
    const frames = await listFrames(tabId);
    const frame = frames.find(({ frameId, url }) => frameId !== 0 && pattern.matches(url));
    if (frame !== undefined) return { tabId, ...frame };
    if (clock.now() >= until) {
      throw new ForgeError('frame_not_found', `The page has no frame that matches ${patternText}.`);
    }
    await new Promise<void>((resolve) => clock.after(LOOK_EVERY_MS, resolve));
  }
}
