import type { Clock } from '../bridge/clock.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Log } from '../log.ts';
import { Agenda } from './agenda.ts';
import type { Render } from './render.ts';
import type { Report, Reports } from './reports.ts';
import { UnderWay } from './under-way.ts';

/** Whoever lets a model say a report in its own words, in the conversation that it belongs to. */
export interface Reporter {
  /** Whether a model could speak there right now. */
  canSpeak(sessionId: string): boolean;
  /** The words that stand beside the report, or null when there are none. */
  words(report: Report, signal: AbortSignal): Promise<string | null>;
}

interface SpeakerDeps {
  reporter: Reporter;
  reports: Reports;
  render: Render;
  clock: Clock;
  log: Log;
  commit: (work: () => void) => void;
}

/** A model that takes longer is not waited for. */
const PATIENCE_MS = 120_000;
const RETRY_MS = 60_000;

/** Puts reports into words. One that was left behind by a crash is asked about again, and goes out once either way. */
export function createSpeaker({ reporter, reports, render, clock, log, commit }: SpeakerDeps) {
  const underWay = new UnderWay();
  /** Words that could not be written down yet; nobody is asked for them twice. */
  const said = new Map<number, string | null>();

  const speak = async (seq: number, stopped: AbortSignal): Promise<void> => {
    const report = reports.get(seq);
    if (report?.state !== 'pending') return;
    const kept = said.get(seq);
    const words = kept === undefined ? await inTime(report, stopped) : kept;
    if (stopped.aborted) return;
    said.set(seq, words);
    commit(() => reports.release(seq, words));
    said.delete(seq);
  };

  const inTime = async (report: Report, stopped: AbortSignal): Promise<string | null> => {
    const late = new AbortController();
    const stopTimer = clock.after(PATIENCE_MS, () =>
      late.abort(new ForgeError('call_timeout', 'the model has not answered in time')),
    );
    try {
      return await wordsOf(report, AbortSignal.any([stopped, late.signal]));
    } finally {
      stopTimer();
    }
  };

  const wordsOf = async (report: Report, signal: AbortSignal): Promise<string | null> => {
    try {
      const words = await unlessAborted(reporter.words(report, signal), signal);
      const said = words === null ? '' : render.clean(words);
      return said === '' || said === report.text ? null : said;
    } catch (error) {
      // The report goes out all the same, with nothing beside it.
      log.warn({ error, watch: report.watchId }, 'a report goes out as it is');
      return null;
    }
  };

  const begin = (id: string): void =>
    underWay.begin(
      id,
      (signal) => speak(Number(id), signal),
      (error) => {
        log.error({ error }, 'a report could not be written down; it is tried again');
        agenda.set(id, clock.now() + RETRY_MS);
      },
    );
  const agenda = new Agenda(clock, begin);

  return {
    /** Looks for reports that wait for words. */
    look(): void {
      for (const seq of reports.pending()) begin(String(seq));
    },
    settled: () => underWay.settled(),
    stop(reason: Error): Promise<void> {
      agenda.stop();
      return underWay.stop(reason);
    },
  };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject);
  });
}
