import type { Io } from '../io.ts';
import { safeLine, screenText, type Terminal } from '../terminal.ts';

/** What a person sees while a call takes its time. */
export interface Progress {
  /** Output of the tool, as it is printed. */
  output(text: string): void;
  /** Takes away what is not to stay. */
  stop(): void;
}

export interface Timers {
  now: () => number;
  /** Runs something again and again; the answer stops it. */
  every: (ms: number, run: () => void) => () => void;
}

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const FRAME_MS = 100;
/** What is done by then needs no progress, and its output is printed soon enough as the result. */
const PATIENCE_MS = 500;
const ERASE_LINE = '\r\u001b[K';

const REAL_TIMERS: Timers = {
  now: () => performance.now(),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
};

/** A line that turns and counts seconds, and above it the tool's output, dim; only where standard error is a screen. */
export function startProgress(
  { stderr }: Pick<Io, 'stderr'>,
  { paintErr }: Pick<Terminal, 'paintErr'>,
  label: string,
  timers: Timers = REAL_TIMERS,
): Progress {
  if (stderr.isTTY !== true) return { output: () => undefined, stop: () => undefined };
  const started = timers.now();
  let waiting: string[] | null = [];
  let isDrawn = false;
  let isAtLineStart = true;
  let frame = 0;

  const erase = () => {
    if (isDrawn) stderr.write(ERASE_LINE);
    isDrawn = false;
  };
  const print = (text: string) => {
    const shown = screenText(text);
    if (shown === '') return;
    erase();
    stderr.write(paintErr('dim', shown));
    isAtLineStart = shown.endsWith('\n');
  };
  const tick = () => {
    const elapsedMs = timers.now() - started;
    if (elapsedMs < PATIENCE_MS) return;
    for (const text of waiting ?? []) print(text);
    waiting = null;
    if (!isAtLineStart) return;
    const seconds = `${Math.floor(elapsedMs / 1000)} s`;
    const sign = FRAMES[frame % FRAMES.length] ?? '';
    stderr.write(`${ERASE_LINE}${paintErr('dim', `${sign} ${safeLine(label)} ${seconds}`)}`);
    frame += 1;
    isDrawn = true;
  };
  const stopTicking = timers.every(FRAME_MS, tick);
  return {
    output: (text) => {
      if (waiting === null) print(text);
      else waiting.push(text);
    },
    stop: () => {
      stopTicking();
      erase();
      if (!isAtLineStart) stderr.write('\n');
    },
  };
}
