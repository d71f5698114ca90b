import { ForgeError } from '../../shared/errors.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Deliveries, Delivery } from './deliveries.ts';
import { subjectOf, type Endings } from './ending.ts';
import type { Poll, PollRows } from './poll-rows.ts';
import type { Report, Reports } from './reports.ts';
import type { WatchFilter, WatchRows } from './watch-rows.ts';
import { isActive, isPolling, type Watch } from './watch.ts';

interface ReportWithDeliveries extends Report {
  deliveries: Delivery[];
}

/** A watch with what came of its polls, the latest first, and what it has reported. */
export interface WatchDetail {
  watch: Watch;
  polls: Poll[];
  reports: ReportWithDeliveries[];
}

/** What a person can see of watches, and do about them. */
export interface Manage {
  list(filter: WatchFilter): Watch[];
  get(id: string): WatchDetail;
  activeCount(): number;
  /** What a conversation was told, or everybody, from an earlier report on. */
  reports(sessionId: string | null, after?: number): Report[];
  cancel(id: string, message?: string): Watch;
  /** Begins an ended watch again, with fresh guards; a parked one is polled at once. */
  retry(id: string): Watch;
  /** A conversation is gone: its watches go on as those of nobody. Inside a transaction. */
  leaveSession(sessionId: string): void;
  /** Removes what has ended long ago. */
  tidy(): void;
}

interface ManageDeps {
  rows: WatchRows;
  polls: PollRows;
  reports: Reports;
  deliveries: Deliveries;
  events: EventBus;
  endings: Endings;
  commit: <T>(work: () => T) => T;
  now: () => number;
  requireRoom: () => void;
  /** Somebody has changed a watch from outside; what it is doing has to stop. */
  onChanged: (watch: Watch) => void;
}

/** How long ended watches are kept. */
export const KEEP_MS = 30 * 24 * 3_600_000;

export function createManage(deps: ManageDeps): Manage {
  const { rows, polls, reports, deliveries, events, endings, commit, now } = deps;
  const required = (id: string): Watch => {
    const watch = rows.get(id);
    if (watch === null) throw new ForgeError('watch_not_found', `there is no watch ${JSON.stringify(id.slice(0, 80))}`);
    return watch;
  };
  const changed = (work: () => Watch): Watch => {
    const watch = commit(work);
    deps.onChanged(watch);
    return watch;
  };

  const again = (watch: Watch): Watch => {
    const at = now();
    const { timeoutMs, lifetimeMs } = watch.plan;
    deps.requireRoom();
    events.append({ type: 'watch.started', ...subjectOf(watch) });
    return rows.change(watch, {
      ...{ state: 'polling', run: watch.run + 1, startedAt: at, deadlineAt: at + Math.min(timeoutMs, lifetimeMs) },
      ...{ nextAt: at, pollCount: 0, errorCount: 0, awayCount: 0, told: [] },
      ...{ reason: null, progress: null, lastPoll: null, action: null, endedAt: null },
    });
  };

  return {
    list: (filter) => rows.list(filter),
    activeCount: () => rows.countActive(),
    reports: (sessionId, after) => reports.ofSession(sessionId, after),
    get: (id) => ({
      watch: required(id),
      polls: polls.list(id),
      reports: reports.ofWatch(id).map((report) => ({ ...report, deliveries: deliveries.of(report.seq) })),
    }),
    cancel: (id, message = 'a person has cancelled it') =>
      changed(() => {
        const watch = required(id);
        if (!isActive(watch)) throw hasEnded(watch);
        if (watch.action?.status === 'running')
          throw new ForgeError('conflict', `${watch.action.toolId} is running already, and is not stopped half-way`, {
            hint: 'Wait until it has ended.',
          });
        return endings.close(watch, 'cancelled', { code: 'cancelled', message });
      }),
    retry: (id) =>
      changed(() => {
        const watch = required(id);
        if (watch.state === 'parked') return rows.change(watch, { nextAt: now() });
        if (isPolling(watch) || watch.state === 'acting')
          throw new ForgeError('conflict', `watch ${id} has not ended`, { hint: 'Cancel it first, or wait.' });
        if (watch.state === 'done') throw hasEnded(watch);
        return again(watch);
      }),
    leaveSession: (sessionId) => {
      rows.leaveSession(sessionId);
      reports.leaveSession(sessionId);
    },
    tidy: () =>
      commit(() => {
        rows.forgetBefore(now() - KEEP_MS);
        reports.forgetBefore(now() - KEEP_MS);
      }),
  };
}

function hasEnded({ id, state }: Watch): ForgeError {
  return new ForgeError('conflict', `watch ${id} has ended already: it is ${state}`, {
    hint: 'There is nothing to do.',
  });
}
