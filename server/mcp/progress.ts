import { systemClock, type Clock } from '../bridge/clock.ts';
import type { CallRequest } from '../tools/call-tool.ts';
import { cut } from '../tools/catalogue/instructions.ts';
import type { Peer } from './peer.ts';
import { repeat } from './repeat.ts';
import { spaced } from './spaced.ts';

/** Quick calls are over before the first of these. */
const FIRST_MS = 1000;
const EVERY_MS = 5000;
/** Nobody reads more than ten lines a second, and each is a message of its own. */
const MIN_GAP_MS = 100;
const MAX_MESSAGE = 200;
/** What a tool prints between two messages of the log; of more than this the end is kept. */
const MAX_LOGGED = 16_000;

/** What goes on while a call runs, for a client that wants to know. */
export interface Reporting {
  onOutput: NonNullable<CallRequest['onOutput']>;
  /** Says what was held back, and nothing more. */
  end: () => void;
}

type Watching = Pick<Peer, 'progress' | 'log'>;

/**
 * Reports the lines a tool prints, and that it still runs when it prints nothing: many clients give up on a call that is silent. Null
 * when nobody wants to know.
 */
export function reportProgress(
  { progress, log }: Watching,
  tool: string,
  clock: Clock = systemClock,
): Reporting | null {
  if (progress === null && log === null) return null;
  const told = progress === null ? null : tellProgress(progress, clock);
  const logged = log === null ? null : tellLog(log, tool, clock);
  return {
    onOutput: (stream, text) => {
      logged?.[stream].push(text);
      const line = text.trimEnd().split('\n').at(-1) ?? '';
      if (line.trim() !== '') told?.line(cut(line, MAX_MESSAGE));
    },
    end: () => {
      told?.end();
      logged?.stdout.end();
      logged?.stderr.end();
    },
  };
}

/** Says that something takes a while, and what it waits for, until it is told to stop. */
export function reportWaiting(
  { progress }: Pick<Peer, 'progress'>,
  message: string,
  clock: Clock = systemClock,
): () => void {
  if (progress === null) return () => undefined;
  progress(message);
  return repeat(clock, EVERY_MS, EVERY_MS, () => progress(message));
}

function tellProgress(progress: NonNullable<Peer['progress']>, clock: Clock) {
  const began = clock.now();
  const lines = spaced<string>({ clock, gapMs: MIN_GAP_MS, join: (_held, line) => line, send: progress });
  // Beside the lines: one that comes right after such a message is not held back for it.
  const still = () => progress(`running for ${Math.round((clock.now() - began) / 1000)} s`);
  const stop = repeat(clock, FIRST_MS, EVERY_MS, still);
  return {
    line: lines.push,
    end: () => {
      stop();
      lines.end();
    },
  };
}

function tellLog(log: NonNullable<Peer['log']>, tool: string, clock: Clock) {
  const join = (held: string, text: string): string => (held + text).slice(-MAX_LOGGED);
  const by = (level: 'info' | 'warning') =>
    spaced<string>({ clock, gapMs: MIN_GAP_MS, join, send: (text) => log(level, tool, text) });
  return { stdout: by('info'), stderr: by('warning') };
}
