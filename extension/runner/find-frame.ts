import { ForgeError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import type { ScriptTarget } from '../platform/scripts.ts';
import type { FrameInfo } from '../tabs/page-guard.ts';
import { matchPattern } from '../tabs/match-pattern.ts';

interface Deps {
  listFrames: (tabId: number) => Promise<Pick<FrameInfo, 'frameId' | 'url' | 'documentId'>[]>;
  isOwnPage: (url: string) => boolean;
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
  { listFrames, isOwnPage, clock }: Deps,
): Promise<ScriptTarget & { url: string }> {
  const pattern = matchPattern(patternText);
  const until = clock.now() + WAIT_MS;
  for (;;) {
    signal.throwIfAborted();
    const frames = await listFrames(tabId);
    const frame = frames.find(({ frameId, url }) => frameId !== 0 && pattern.matches(url) && !isOwnPage(url));
    if (frame !== undefined) {
      const { frameId, url, documentId } = frame;
      return { tabId, frameId, url, documentId };
    }
    if (clock.now() >= until) {
      throw new ForgeError('frame_not_found', `The page has no frame that matches ${patternText}.`);
    }
    await new Promise<void>((resolve) => clock.after(LOOK_EVERY_MS, resolve));
  }
}
