import type { Notice, NotificationMethod } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { createActivity } from '../activity.ts';
import { createApprovalDesk, type ApprovalDesk } from '../approvals/desk.ts';
import { createApiLine } from '../bridge/api-line.ts';
import { systemClock as clock } from '../clock.ts';
import { listenToApproveWindows } from '../platform/approve-window.ts';
import { showBadge } from '../platform/badge.ts';
import { openTab } from '../platform/current-site.ts';
import { keepAlive } from '../platform/keep-alive.ts';
import { hideNotification, onNotificationClicked, showNotification } from '../platform/notifications.ts';
import { createPermissionCache, onPermissionsChanged } from '../platform/permissions.ts';
import { canRunUserScripts, createPageScripts } from '../platform/scripts.ts';
import { openSocket } from '../platform/socket.ts';
import { guardStorage, sessionStorage } from '../platform/storage.ts';
import { focusTab } from '../platform/tabs.ts';
import { reloadTicketPage } from '../platform/ticket-page.ts';
import { createPageGuard } from '../tabs/page-guard.ts';
import { createCalls, type Calls } from './calls.ts';
import { createStages } from './create-stages.ts';
import { createTabs } from './create-tabs.ts';
import { createNotices } from './notices.ts';
import { createPermissionCheck } from './permission-check.ts';
import { createRequests } from './requests.ts';
import { serveApi } from './serve-api.ts';
import { servePages } from './serve-pages.ts';
import { servePicker } from './serve-picker.ts';
import { createSession } from './session.ts';
import { createUserScripts } from './user-scripts.ts';

/** Composes the worker. Every listener stands before the first await: a worker may have been started for the event itself. */
export function startWorker(): void {
  const changed = (): void => pages.publish();
  const { guard, scripts, tabs } = createPages(() => session.ownPorts());
  const calls = createCalls(clock);
  const activity = createActivity({ clock, show: showBadge, onChange: changed });
  const notices = createOwnNotices(changed, () => `http://${session.address()}`);
  const openNotice = (id: string): void => void notices.open(id);
  onNotificationClicked(openNotice);
  const userScripts = createUserScripts(canRunUserScripts, () => session.tell());
  const permissions = createPermissionCheck({
    cache: createPermissionCache(),
    ...{ storage: sessionStorage, isOwnPattern: guard.isOwnPattern },
    onWanted: () => {
      activity.setNeeds(permissions.wanted().length > 0 ? 'a site needs your permission' : null);
      changed();
    },
  });
  const desk = createApprovalDesk({
    ...{ clock, openWindow: listenToApproveWindows(), newId: () => crypto.randomUUID(), onChange: changed },
    say: (...said) => session.say(...said),
  });
  const stages = createStages({ scripts, guard, tabs, userScripts, desk, checkPermission: permissions.check });
  const isPaused = (): boolean => session.isPaused();
  const apiLine = createApiLine(openSocket, () => session.state().kind === 'ready');
  const session = createSession({
    openSocket: apiLine.openSocket,
    userScripts,
    running: calls.named,
    onChange: changed,
    onRequest: createRequests({
      ...{ calls, stages, activity, isPaused, scripts },
      ...{ ready: tabs.ready, focusTab: tabs.focus, hasSite: tabs.hasSite },
      onLoginRequired: (error) => notices.needsLogin(error),
    }),
    onNotification: (method, params) => take(method, params, { calls, desk, notices, activity }),
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
      questions: desk.waiting(),
    }),
    ready: () => begun,
    connect: session.connect,
    setPaused,
    check: () => void userScripts.check(),
    dismiss: notices.remove,
    openNotice,
    showQuestion: desk.focus,
  });
  serveApi({ ready: () => begun, ask: apiLine.ask });
  servePicker({ ready: () => begun, scripts, stages, events: tabs.events, clock });
  onPermissionsChanged(() => {
    void permissions.refresh();
    void tabs.refresh();
    void userScripts.check();
  });
  const begun = Promise.all([session.begin(), permissions.restore()]).then(() =>
    activity.setPaused(session.isPaused()),
  );
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

/** Tabs and the one way into their pages; `ports` are Forge's own. */
function createPages(ports: () => readonly number[]) {
  const guard = createPageGuard(ports);
  const scripts = createPageScripts(guard);
  return { guard, scripts, tabs: createTabs(scripts, guard) };
}

function createOwnNotices(onChange: () => void, origin: () => string): ReturnType<typeof createNotices> {
  const door = { show: showNotification, hide: hideNotification, focusTab, openPage: openTab };
  return createNotices({ door, newId: () => crypto.randomUUID(), onChange, origin });
}

/** What the server sends without wanting an answer. readFrame has checked the params of each. */
function take(
  method: NotificationMethod,
  params: unknown,
  {
    calls,
    desk,
    notices,
    activity,
  }: {
    calls: Pick<Calls, 'cancel'>;
    desk: Pick<ApprovalDesk, 'decide'>;
    notices: Pick<ReturnType<typeof createNotices>, 'add' | 'answered'>;
    activity: { setWaiting(count: number): void };
  },
): void {
  if (method === 'connector.cancel') calls.cancel((params as { call_id: string }).call_id);
  else if (method === 'connector.decide') {
    const { call_id, approved } = params as { call_id: string; approved: boolean };
    desk.decide(call_id, approved);
  } else if (method === 'notify') notices.add(params as Notice);
  else if (method === 'waiting') {
    const { count } = params as { count: number };
    activity.setWaiting(count);
    if (count === 0) notices.answered();
  }
}
