import type { Clock } from '../bridge/clock.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Log } from '../log.ts';
import { Agenda } from './agenda.ts';
import { askTool } from './ask-tool.ts';
import type { createChain } from './chain.ts';
import { othersForPoll } from './read-from.ts';
import type { createSettlePoll } from './settle-poll.ts';
import { UnderWay } from './under-way.ts';
import type { WatchRows } from './watch-rows.ts';
import { isPolling, type Watch } from './watch.ts';

interface TendDeps {
  rows: WatchRows;
  ask: Parameters<typeof askTool>[0];
  settlePoll: ReturnType<typeof createSettlePoll>;
  chain: ReturnType<typeof createChain>;
  commit: <T>(work: () => T) => T;
  clock: Clock;
  log: Log;
}

/** A tool that a watch has chained may take this long to end when Forge stops; then what it did is unknown. */
const FINISH_MS = 7000;
const PROBLEM_MS = 60_000;

/** Looks after watches when they are due, all of them by one timer. */
export function createTend({ rows, ask, settlePoll, chain, commit, clock, log }: TendDeps) {
  const polling = new UnderWay();
  const acting = new UnderWay();
  /** Watches that the last run of Forge has left in the middle of something, and that could not be put right yet. */
  const unrecovered = new Set<string>();
  let isStarted = false;

  const poll = async (id: string, dueAt: number, signal: AbortSignal): Promise<void> => {
    const watch = rows.get(id);
    if (watch === null || !isPolling(watch)) return;
    const { pollTool: toolId, plan: kept } = watch;
    let site: string | null = null;
    const otherSites = othersForPoll(kept, (asked) => (site = asked));
    const poll = { toolId, args: kept.pollArgs, signal, watch: 'none' as const, otherSites };
    const answer = await askTool(ask, watch, poll);
    // Forge stops, or a person has changed the watch; the row says what counts, and a poll may be made again.
    if (signal.aborted) return;
    commit(() => {
      const current = rows.get(id);
      if (current?.run !== watch.run || !isPolling(current)) return;
      const known = site === null || answer.kind === 'approval' ? current : rows.hasRead(current, site);
      settlePoll(known, { dueAt, answer });
    });
  };

  const plan = (id: string, at: number | null | undefined): void => {
    if (isStarted && at !== null && at !== undefined) agenda.set(id, at);
  };
  const tryAgain = (id: string, error: unknown): void => {
    log.error({ error, watch: id }, 'a watch could not be looked after; it is tried again');
    plan(id, clock.now() + PROBLEM_MS);
  };

  const recover = (id: string): void => {
    unrecovered.add(id);
    commit(() => {
      const watch = rows.get(id);
      if (watch !== null) chain.recover(watch);
    });
    unrecovered.delete(id);
  };

  const agenda = new Agenda(clock, (id, at) => {
    try {
      if (unrecovered.has(id)) recover(id);
      const isActing = rows.get(id)?.state === 'acting';
      const work = async (signal: AbortSignal): Promise<void> => {
        await (isActing ? chain.run(id, signal) : poll(id, at, signal));
        plan(id, rows.get(id)?.nextAt);
      };
      (isActing ? acting : polling).begin(id, work, (error) => tryAgain(id, error));
    } catch (error) {
      // Nobody stands behind a timer.
      tryAgain(id, error);
    }
  });

  return {
    /** A watch has begun, or was changed before: it is due when its row says. */
    expect: (id: string): void => plan(id, rows.get(id)?.nextAt),
    /** Somebody has changed a watch from outside, so what is under way for it no longer counts. */
    changed(watch: Watch): void {
      polling.abort(watch.id, new ForgeError('cancelled', 'the watch was cancelled or begun again'));
      agenda.drop(watch.id);
      plan(watch.id, watch.nextAt);
    },
    /** Goes on where the last run of Forge stopped. */
    start(): void {
      isStarted = true;
      for (const { id } of rows.active()) {
        try {
          recover(id);
          plan(id, rows.get(id)?.nextAt);
        } catch (error) {
          tryAgain(id, error);
        }
      }
    },
    async settled(): Promise<void> {
      await polling.settled();
      await acting.settled();
    },
    async stop(reason: Error): Promise<void> {
      isStarted = false;
      agenda.stop();
      const stopLate = clock.after(FINISH_MS, () => void acting.stop(reason));
      await Promise.all([polling.stop(reason), acting.settled()]);
      stopLate();
    },
  };
}
