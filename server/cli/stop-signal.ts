import { once } from 'node:events';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';

const PARENT_EVERY_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface StopSignal {
  /** Aborted by the first signal. */
  signal: AbortSignal;
  /** Waits for the first signal. */
  requested: () => Promise<void>;
  /** From now on signals end the process again, as they always do. */
  dispose: () => void;
}

/**
 * The first Ctrl-C asks the command to stop in order; a second one ends the process at once. Under `npm start` the end of the parent asks
 * too: npm signals the shell between the two, and the shell passes nothing on.
 */
export function stopSignal({ signals, exit, parent }: Pick<Io, 'signals' | 'exit' | 'parent'>): StopSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const onSignal = () => {
    if (signal.aborted) exit(EXIT.failed);
    controller.abort();
  };
  for (const name of SIGNALS) signals.on(name, onSignal);
  const first = parent?.();
  const watch = setInterval(() => parent?.() !== first && controller.abort(), PARENT_EVERY_MS).unref();
  signal.addEventListener('abort', () => clearInterval(watch));
  return {
    signal,
    requested: async () => {
      if (!signal.aborted) await once(signal, 'abort');
    },
    dispose: () => {
      clearInterval(watch);
      for (const name of SIGNALS) signals.off(name, onSignal);
    },
  };
}
