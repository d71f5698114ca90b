import { ForgeError } from '../../shared/errors.ts';
import { WATCH_LIMITS, type WatchLimits } from '../../shared/manifest/watch-limits.ts';
import type { Approvals } from '../approvals/approvals.ts';
import { systemClock, type Clock } from '../bridge/clock.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Log } from '../log.ts';
import type { ResultStore } from '../results/handles.ts';
import type { Maskers } from '../secrets/maskers.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { Hooks } from '../tools/hooks.ts';
import type { CallTool } from './ask-tool.ts';
import { createChain } from './chain.ts';
import type { Channel } from './channels/channel.ts';
import { createDeliveries } from './deliveries.ts';
import { createEndings } from './ending.ts';
import { createManage, type Manage } from './manage.ts';
import { createPollRows } from './poll-rows.ts';
import { createRender } from './render.ts';
import { createReports, type Report } from './reports.ts';
import { createSettlePoll } from './settle-poll.ts';
import { createSpeaker, type Reporter } from './speaker.ts';
import { createTend } from './tend.ts';
import { createWatchPlaces } from './watch-place.ts';
import { createWatchRows } from './watch-rows.ts';

export interface WatchesDeps {
  db: Database;
  events: EventBus;
  /** The pipeline. */
  call: CallTool;
  results: Pick<ResultStore, 'get'>;
  approvals: Pick<Approvals, 'find'>;
  /** Whether a tool is certain to change nothing. */
  isReadOnly: (toolId: string) => boolean;
  maskers: Pick<Maskers, 'forge' | 'connector'>;
  log: Log;
  channels: readonly Channel[];
  /** Null as long as no model can speak. */
  reporter: Reporter | null;
  /** Told of every report that goes out, inside the transaction that releases it: its conversation has it then, and once. */
  onReport?: ((report: Report) => void) | undefined;
  clock?: Clock;
  limits?: WatchLimits;
}

export interface Watches extends Manage {
  /** Stage 9 of a call. */
  place: Hooks['watch'];
  /** Goes on where the last run of Forge stopped. Until then watches are only written down. */
  start(): void;
  /** Resolves when no poll, chained tool or delivery is under way. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Watches: begun by calls, kept in the database, looked after when they are due. */
export function createWatches(deps: WatchesDeps): Watches {
  const { db, events, maskers, log, clock = systemClock, limits = WATCH_LIMITS, reporter } = deps;
  const now = () => clock.now();
  let hasNews = false;
  let isStarted = false;
  const commit = <T>(work: () => T): T => {
    const result = transaction(db, work);
    events.deliver();
    if (hasNews && isStarted) lookForNews();
    return result;
  };
  const lookForNews = (): void => {
    hasNews = false;
    deliveries.look();
    speaker?.look();
  };

  const rows = createWatchRows(db);
  const polls = createPollRows(db);
  const render = createRender(maskers);
  const reports = createReports({
    ...{ db, events, now },
    isPutIntoWords: ({ kind, sessionId }) =>
      kind !== 'parked' && sessionId !== null && reporter?.canSpeak(sessionId) === true,
    channelsFor: (report) => deps.channels.filter((channel) => mayTake(channel, report, log)).map(({ name }) => name),
    onAdded: () => (hasNews = true),
    onReady: (report) => deps.onReport?.(report),
  });
  const books = { rows, polls, reports, events, render, limits, now, commit };
  const endings = createEndings(books);
  const ask = { call: deps.call, results: deps.results, maskers };
  const { approvals, isReadOnly } = deps;
  const settlePoll = createSettlePoll({ ...books, endings });
  const chain = createChain({ ...books, endings, ask, approvals, isReadOnly });
  const tend = createTend({ rows, ask, settlePoll, chain, commit, clock, log });
  const deliveries = createDeliveries({
    ...{ db, clock, masker: maskers.forge, log, channels: deps.channels },
    report: (seq) => reports.get(seq),
  });
  const speaker = reporter === null ? null : createSpeaker({ reporter, reports, render, clock, log, commit });
  const places = createWatchPlaces({
    ...{ ...books, endings, maskers, results: deps.results },
    onBegun: (watch) => tend.expect(watch.id),
  });
  const manage = createManage({
    ...{ ...books, endings, deliveries, requireRoom: places.requireRoom },
    onChanged: (watch) => tend.changed(watch),
  });

  return {
    ...manage,
    place: (request) => places.take(request),
    start() {
      isStarted = true;
      tend.start();
      lookForNews();
    },
    async settled() {
      await tend.settled();
      await speaker?.settled();
      await deliveries.settled();
    },
    async stop() {
      isStarted = false;
      const reason = new ForgeError('shutting_down', 'Forge is stopping');
      await Promise.all([tend.stop(reason), speaker?.stop(reason), deliveries.stop(reason)]);
    },
  };
}

/** Settings that cannot be read now are read again when the report is sent: neither it nor the end of a watch waits for them. */
function mayTake(channel: Channel, report: Report, log: Log): boolean {
  try {
    return channel.takes(report);
  } catch (error) {
    log.warn({ error, channel: channel.name }, 'whether a report goes this way is decided when it is sent');
    return true;
  }
}
