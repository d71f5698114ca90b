import { ForgeError } from '../../shared/errors.ts';
import type { PageScripts } from '../platform/scripts.ts';
import { listFrames } from '../platform/tabs.ts';
import { fromRejection } from '../runner/rejections.ts';
import type { PageEvents } from '../tabs/page-load.ts';
import type { Pick as Picking, PickerPlace } from '../worker/picker-messages.ts';
import { pageMark, pagePick, pageStep, pageStop } from './page-calls.ts';
import { MAX_ADDRESS, type PickEnd } from './picked.ts';

const FILE = '/page-picker.js';

/** Picking and marking elements in the pages of tabs. */
export function createTabPicker({ callInPage, putInPage }: Pick<PageScripts, 'callInPage' | 'putInPage'>) {
  const put = async ({ tabId, frameId }: PickerPlace): Promise<void> => {
    try {
      await putInPage({ tabId, frameId }, FILE);
    } catch (error) {
      throw fromRejection(error);
    }
  };
  return {
    /** Lets the person pick an element in a tab. Ends with the page at the latest. */
    async pick(tabId: number, events: PageEvents): Promise<Picking> {
      let stopListening = (): void => undefined;
      const left = new Promise<PickEnd>((resolve) => {
        stopListening = events.listen(tabId, ({ kind }) => {
          if (kind === 'committed' || kind === 'closed') resolve({ kind: 'lost' });
        });
      });
      try {
        await put({ tabId, frameId: 0 });
        // A page that goes away while it waits gives nothing, or an error; both mean that it is gone.
        const picked = callInPage({ tabId, frameId: 0 }, pagePick, []).then(
          ([end]): PickEnd => end ?? { kind: 'lost' },
          (): PickEnd => ({ kind: 'lost' }),
        );
        const end = await Promise.race([picked, left]);
        return { ...end, frameId: end.kind === 'picked' ? await frameAt(tabId, end.picked.frameUrl) : 0 };
      } finally {
        stopListening();
      }
    },
    /** Shows what a selector finds. */
    async mark({ tabId, frameId }: PickerPlace, selector: string): Promise<void> {
      await put({ tabId, frameId });
      await callInPage({ tabId, frameId }, pageMark, [selector]);
    },
    async step(tabId: number, to: 'parent' | 'child'): Promise<void> {
      await callInPage({ tabId, frameId: 0 }, pageStep, [to]);
    },
    /** Takes away whatever of ours is in a tab. A tab that is gone, or was never ours, has nothing. */
    async stop(tabId: number): Promise<void> {
      await callInPage({ tabId, allFrames: true }, pageStop, []).catch(() => undefined);
    },
  };
}

/** A document of a tab with its name and address, for a script. */
export async function documentAt({ tabId, frameId }: PickerPlace) {
  const frames = await listFrames(tabId).catch(() => []);
  const frame = frames.find((one) => one.frameId === frameId);
  if (frame === undefined) throw new ForgeError('tab_closed', 'The page or frame is not there any more.');
  return { tabId, ...frame };
}

async function frameAt(tabId: number, url: string | null): Promise<number> {
  if (url === null) return 0;
  const frames = await listFrames(tabId).catch(() => []);
  return frames.find((frame) => frame.frameId !== 0 && frame.url.slice(0, MAX_ADDRESS) === url)?.frameId ?? 0;
}
