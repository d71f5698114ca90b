import type { Clock } from '../bridge/clock.ts';
import { isForgeError } from '../../shared/errors.ts';
import type { Log } from '../log.ts';
import type { Masker } from '../secrets/masker.ts';
import type { Database } from '../store/sqlite.ts';
import { Agenda } from './agenda.ts';
import { Refusal, type Channel } from './channels/channel.ts';
import type { Report } from './reports.ts';
import { UnderWay } from './under-way.ts';

/** How far a report has got on one channel. */
export interface Delivery {
  channel: string;
  state: 'waiting' | 'sent' | 'failed';
  attempts: number;
  problem: string | null;
}

interface DeliveriesDeps {
  db: Database;
  clock: Clock;
  channels: readonly Channel[];
  report: (seq: number) => Report | null;
  /** Knows the credentials of channels. */
  masker: Masker;
  log: Log;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

/**
 * Carries reports out. A delivery is a row that was written with its report, and it is done when the other side has taken it: after a
 * crash it is made again, with the same id.
 */
export function createDeliveries({ db, clock, channels, report, masker, log }: DeliveriesDeps) {
  const waiting = db.prepare(`SELECT report_seq, channel, next_at FROM report_deliveries WHERE state = 'waiting'`);
  const one = db.prepare(
    `SELECT attempts FROM report_deliveries WHERE report_seq = ? AND channel = ? AND state = 'waiting'`,
  );
  const update = db.prepare(
    'UPDATE report_deliveries SET state = ?, attempts = ?, next_at = ?, problem = ? WHERE report_seq = ? AND channel = ?',
  );
  const remove = db.prepare('DELETE FROM report_deliveries WHERE report_seq = ? AND channel = ?');
  const ofReport = db.prepare('SELECT * FROM report_deliveries WHERE report_seq = ? ORDER BY channel');
  const underWay = new UnderWay();

  const attempt = async (seq: number, name: string, signal: AbortSignal): Promise<void> => {
    const attempts = Number(one.get(seq, name)?.['attempts'] ?? Number.NaN);
    const found = report(seq);
    if (Number.isNaN(attempts) || found === null) return;
    const channel = channels.find((candidate) => candidate.name === name);
    const outcome = channel === undefined ? GONE : await send(channel, found, signal);
    if (outcome === 'sent') update.run('sent', attempts + 1, null, null, seq, name);
    else if (outcome === 'not taken') remove.run(seq, name);
    else if (!signal.aborted) failed(seq, name, attempts, outcome, channel?.retryMs[attempts]);
  };

  const failed = (seq: number, name: string, attempts: number, failure: Failure, waitMs: number | undefined): void => {
    const nextAt =
      waitMs === undefined || failure.againMs === null ? null : clock.now() + Math.max(waitMs, failure.againMs);
    const problem = masker.redact(failure.problem);
    update.run(nextAt === null ? 'failed' : 'waiting', attempts + 1, nextAt, problem, seq, name);
    if (nextAt !== null) agenda.set(`${seq} ${name}`, nextAt);
  };

  const agenda = new Agenda(clock, (id) => {
    const [seq = '', name = ''] = id.split(' ');
    underWay.begin(
      id,
      (signal) => attempt(Number(seq), name, signal),
      (error) => {
        log.error({ error }, 'a report could not be delivered');
        agenda.set(id, clock.now() + RETRY_MS);
      },
    );
  });

  return {
    /** Looks for what has to be delivered: at the start, and whenever a report was added. */
    look(): void {
      for (const row of waiting.all()) {
        const id = `${Number(row['report_seq'])} ${String(row['channel'])}`;
        if (!underWay.has(id)) agenda.set(id, Number(row['next_at'] ?? 0));
      }
    },
    of: (seq: number): Delivery[] =>
      ofReport.all(seq).map((row) => ({
        channel: String(row['channel']),
        state: String(row['state']) as Delivery['state'], // the table's check allows only these words
        attempts: Number(row['attempts']),
        problem: row['problem'] === null ? null : String(row['problem']),
      })),
    settled: () => underWay.settled(),
    stop(reason: Error): Promise<void> {
      agenda.stop();
      return underWay.stop(reason);
    },
  };
}

const RETRY_MS = 60_000;

/** What went wrong, and how long there is no use in trying again; null is for ever. */
interface Failure {
  problem: string;
  againMs: number | null;
}

const GONE: Failure = { problem: 'there is no such channel', againMs: null };

async function send(channel: Channel, report: Report, signal: AbortSignal): Promise<'sent' | 'not taken' | Failure> {
  try {
    // What a person has taken back in between is nobody's to have.
    if (!channel.takes(report)) return 'not taken';
    await channel.send(report, signal);
    return 'sent';
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return { problem: error.message, againMs: error instanceof Refusal ? error.againMs : 0 };
  }
}
