import type { CallRequest } from '../tools/call-tool.ts';
import { cut } from '../tools/catalogue/instructions.ts';
import type { Peer } from './peer.ts';

/** Quick calls are over before the first of these. */
const FIRST_MS = 1000;
const EVERY_MS = 5000;
const MIN_GAP_MS = 100;
const MAX_MESSAGE = 200;

interface Clock {
  now: () => number;
  /** Calls back again and again until it is told to stop. */
  every: (firstMs: number, everyMs: number, work: () => void) => () => void;
}

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  every: (firstMs, everyMs, work) => {
    let timer = setTimeout(function again() {
      work();
      timer = setTimeout(again, everyMs);
    }, firstMs);
    return () => clearTimeout(timer);
  },
};

/** What goes on while a call runs, for a client that wants to know. */
export interface Reporting {
  given: Pick<CallRequest, 'onOutput'>;
  end: () => void;
}

const SILENT: Reporting = { given: {}, end: () => undefined };

/** Reports the lines a tool prints, and that it still runs when it prints nothing: many clients give up on a call that is silent. */
export function reportProgress(
  { progress, log }: Pick<Peer, 'progress' | 'log'>,
  tool: string,
  clock: Clock = SYSTEM_CLOCK,
): Reporting {
  if (progress === null && log === null) return SILENT;
  const began = clock.now();
  let count = 0;
  let reported = -Infinity;
  const tell = (message: string): void => {
    count += 1;
    reported = clock.now();
    progress?.(count, message);
  };
  const stop =
    progress === null
      ? () => undefined
      : clock.every(FIRST_MS, EVERY_MS, () => tell(`running for ${Math.round((clock.now() - began) / 1000)} s`));
  return {
    given: {
      onOutput: (stream, text) => {
        log?.(stream === 'stderr' ? 'warning' : 'info', tool, text);
        const line = text.trimEnd().split('\n').at(-1) ?? '';
        if (line.trim() !== '' && clock.now() - reported >= MIN_GAP_MS) tell(cut(line, MAX_MESSAGE));
      },
    },
    end: stop,
  };
}
