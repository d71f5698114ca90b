import type { ApprovalDesk } from '../approvals/desk.ts';
import { ForgeError } from '../../shared/errors.ts';
import { systemClock as clock } from '../clock.ts';
import { pageHas } from '../inspect/page-selector.ts';
import { isChromium } from '../platform/browser.ts';
import type { PageScripts, ScriptTarget } from '../platform/scripts.ts';
import { listFrames } from '../platform/tabs.ts';
import { endWithPage } from '../runner/end-with-page.ts';
import { findFrame } from '../runner/find-frame.ts';
import { createQuickScripts } from '../runner/quick-scripts.ts';
import type { CallStages } from '../runner/run-call.ts';
import { createRunScript, userScriptsOff, type ScriptDoor, type UserScripts } from '../runner/run-script.ts';
import type { PageGuard } from '../tabs/page-guard.ts';
import type { PageEvents } from '../tabs/page-load.ts';
import type { Tabs } from './create-tabs.ts';

interface StagesDeps {
  scripts: PageScripts;
  guard: PageGuard;
  tabs: Pick<Tabs, 'finder' | 'events' | 'urlOf'>;
  userScripts: UserScripts;
  checkPermission: CallStages['checkPermission'];
  desk: Pick<ApprovalDesk, 'ask'>;
}

/** The stages of a call, wired to the browser. */
export function createStages({ scripts, guard, tabs, userScripts, checkPermission, desk }: StagesDeps): CallStages {
  const nonce = crypto.randomUUID();
  const store = `forge$${crypto.randomUUID().replaceAll('-', '')}`;
  const quick = createQuickScripts();
  const door = isChromium ? { ...scripts, isStillThere } : endingDoor(scripts, tabs.events);
  return {
    checkPermission,
    async checkWorld(world) {
      if (world === 'main' || userScripts.isOn() || (await userScripts.check())) return;
      throw userScriptsOff('This tool runs beside the page, which needs user scripts.');
    },
    askPerson: desk.ask,
    tabs: tabs.finder,
    findFrame: (tabId, pattern, signal) =>
      findFrame(tabId, pattern, signal, { listFrames, clock, isOwnPage: guard.isOwnPage }),
    urlOf: tabs.urlOf,
    async hasSelector(tabId, selector) {
      const [has = false] = await scripts.callInPage({ tabId, frameId: 0 }, pageHas, [selector]);
      if (has === null) throw unreadableSelector(selector);
      return has;
    },
    runScript: createRunScript({ door, quick, userScripts, nonce, store, ownOrigins: guard.ownOrigins }),
    isQuick: quick.isQuick,
    now: () => performance.now(),
    after: clock.after,
  };
}

function unreadableSelector(selector: string): ForgeError {
  return new ForgeError('invalid_manifest', `${JSON.stringify(selector.slice(0, 200))} is not a CSS selector.`, {
    hint: 'Correct logged_in_selector or auth_required_selector in the connector’s manifest.',
  });
}

/** For a browser that does not end a script with its page. */
function endingDoor({ executeUserScript, executeByEval }: PageScripts, events: PageEvents): ScriptDoor {
  const deps = { events, clock };
  return {
    isStillThere,
    executeUserScript: (options) => endWithPage(options.target.tabId, () => executeUserScript(options), deps),
    executeByEval: (options, nonce) => endWithPage(options.target.tabId, () => executeByEval(options, nonce), deps),
  };
}

/** A document that is being left is still there for a moment. */
const LEAVING_MS = 300;

/** Without the names of documents (Firefox) a page that has gone cannot be told from a script that does not parse. */
async function isStillThere({ tabId, frameId, documentId }: ScriptTarget): Promise<boolean> {
  const until = clock.now() + LEAVING_MS;
  while (clock.now() < until) {
    const frames = await listFrames(tabId).catch(() => []);
    const frame = frames.find((one) => one.frameId === frameId);
    if (frame === undefined || (documentId !== null && frame.documentId !== documentId)) return false;
    await new Promise<void>((resolve) => clock.after(LEAVING_MS / 6, resolve));
  }
  return true;
}
