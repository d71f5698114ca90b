import type { NotificationMethod } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { createActivity } from '../activity.ts';
import { systemClock as clock } from '../clock.ts';
import { showBadge } from '../platform/badge.ts';
import { keepAlive } from '../platform/keep-alive.ts';
import { createPermissionCache, onPermissionsChanged } from '../platform/permissions.ts';
import { canRunUserScripts } from '../platform/scripts.ts';
import { guardStorage } from '../platform/storage.ts';
import { reloadTicketPage } from '../platform/ticket-page.ts';
import { createCalls } from './calls.ts';
import { createStages } from './create-stages.ts';
import { createTabs } from './create-tabs.ts';
import { createNotices } from './notices.ts';
import { createPermissionCheck } from './permission-check.ts';
import type { Notice } from './popup-messages.ts';
import { createRequests } from './requests.ts';
import { servePages } from './serve-pages.ts';
import { createSession } from './session.ts';
import { createUserScripts } from './user-scripts.ts';

/** Composes the worker. Every listener stands before the first await: a worker may have been started for the event itself. */
export function startWorker(): void {
  const changed = (): void => pages.publish();
  const tabs = createTabs();
  const calls = createCalls(clock);
  const activity = createActivity({ clock, show: showBadge, onChange: changed });
  const notices = createNotices(changed);
  const userScripts = createUserScripts(canRunUserScripts, () => session.tell());
  const permissions = createPermissionCheck({
    cache: createPermissionCache(),
    onWanted: () => {
      activity.setNeeds(permissions.wanted().length > 0 ? 'a site needs your permission' : null);
      changed();
    },
  });
  const stages = createStages({ tabs, userScripts, checkPermission: permissions.check });
  const isPaused = (): boolean => session.isPaused();
  const session = createSession({
    userScripts,
    onChange: changed,
    onRequest: createRequests({ calls, stages, activity, isPaused, ready: tabs.ready }),
    onNotification: (method, params) => take(method, params, calls.cancel, notices.add),
  });
  const setPaused = (paused: boolean): void => {
    session.setPaused(paused);
    if (paused) calls.stopAll(new ForgeError('browser_paused', 'Forge was paused in this browser.'));
    activity.setPaused(paused);
  };
  const pages = servePages({
    state: () => ({
      link: session.state(),
      address: session.address(),
      paused: session.isPaused(),
      userScripts: userScripts.isOn(),
      running: activity.titles(),
      wanted: permissions.wanted(),
      notices: notices.list(),
    }),
    ready: () => begun,
    connect: session.connect,
    setPaused,
    check: () => void userScripts.check(),
    dismiss: notices.clear,
  });
  onPermissionsChanged(() => {
    void permissions.refresh();
    void tabs.refresh();
    void userScripts.check();
  });
  const begun = session.begin().then(() => activity.setPaused(session.isPaused()));
  void guardStorage();
  reloadTicketPage();
  keepAlive(() => {
    void begun.then(() => {
      session.connectNow();
      tabs.finder.closeIdle();
      void userScripts.check();
    });
  });
}

/** What the server sends without wanting an answer. readFrame has checked the params of each. */
function take(
  method: NotificationMethod,
  params: unknown,
  cancel: (callId: string) => void,
  addNotice: (notice: Notice) => void,
): void {
  if (method === 'connector.cancel') cancel((params as { call_id: string }).call_id);
  else if (method === 'notify') addNotice(params as Notice);
}
