import { browser, isChromium } from './browser.ts';
import { BEAT_MS } from './keeper.ts';
import { logProblem } from './log.ts';
import { onLine } from './ports.ts';

const KEEPER_PAGE = 'offscreen.html';
const ALARM = 'forge-awake';

/**
 * Keeps the worker alive, and calls `onAwake` when it has been woken and about every 20 s after that. In Chromium a page of our own
 * does it: it notices at once when the worker has died. Firefox has no such page; there a call to the browser resets its clock.
 */
export function keepAlive(onAwake: () => void): void {
  onLine('keeper', (line) => {
    onAwake();
    line.onMessage(onAwake);
  });
  // Should the keeper itself be gone, an alarm brings both back.
  void browser.alarms.create(ALARM, { periodInMinutes: 0.5 });
  browser.alarms.onAlarm.addListener(() => {
    onAwake();
    openKeeper();
  });
  // Listening is enough: the events start the worker.
  browser.runtime.onStartup.addListener(onAwake);
  browser.runtime.onInstalled.addListener(onAwake);
  if (isChromium) {
    openKeeper();
  } else {
    setInterval(() => {
      void browser.runtime.getPlatformInfo();
      onAwake();
    }, BEAT_MS);
  }
}

function openKeeper(): void {
  if (!isChromium) return;
  makeKeeper().catch((error: unknown) => {
    // Two lives of the worker may ask at once; the browser allows one such page.
    if (!String(error).includes('single offscreen')) logProblem('the keeper could not be opened', error);
  });
}

async function makeKeeper(): Promise<void> {
  const open = await chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] });
  if (open.length > 0) return;
  await chrome.offscreen.createDocument({
    url: KEEPER_PAGE,
    reasons: ['WORKERS'],
    justification: 'Keeps the connection to Forge on this computer open, and restores it at once when it is lost.',
  });
}
