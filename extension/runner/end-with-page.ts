import type { Clock } from '../clock.ts';
import type { PageEvents } from '../tabs/page-load.ts';
import { leftPage } from './rejections.ts';

/** A result that was on its way when the page went away still counts; news of a tab that was closed can come after its script's end. */
const UNDER_WAY_MS = 300;

/** All that Firefox says when something happens to a script from outside. */
const UNEXPECTED = /^An unexpected error occurred$/;

/**
 * Ends a run when its page is left or its tab is closed. Chromium does that by itself; Firefox keeps a page that was left, and whoever
 * waits for its script waits for ever.
 */
export function endWithPage<T>(
  tabId: number,
  run: () => Promise<T>,
  { events, clock }: { events: PageEvents; clock: Clock },
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isGone = false;
    let failure: Error | null = null;
    let cancel: (() => void) | null = null;
    const finish = (settle: () => void): void => {
      cancel?.();
      stopListening();
      settle();
    };
    const waitForNews = (): void => {
      cancel?.();
      cancel = clock.after(UNDER_WAY_MS, () => finish(() => reject(isGone || failure === null ? leftPage() : failure)));
    };
    const stopListening = events.listen(tabId, ({ kind }) => {
      if (kind !== 'committed' && kind !== 'closed') return;
      isGone = true;
      waitForNews();
    });
    run().then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => {
        const known = error instanceof Error ? error : new Error(String(error));
        failure = known;
        if (UNEXPECTED.test(known.message)) waitForNews();
        else finish(() => reject(known));
      },
    );
  });
}
