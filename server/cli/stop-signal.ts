import { once } from 'node:events';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface StopSignal {
  /** Aborted by the first signal. */
  signal: AbortSignal;
  /** Waits for the first signal. */
  requested: () => Promise<void>;
  /** From now on signals end the process again, as they always do. */
  dispose: () => void;
}

/** The first Ctrl-C asks the command to stop in order; a second one ends the process at once. */
export function stopSignal({ signals, exit }: Pick<Io, 'signals' | 'exit'>): StopSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const onSignal = () => {
    if (signal.aborted) exit(EXIT.failed);
    controller.abort();
  };
  for (const name of SIGNALS) signals.on(name, onSignal);
  return {
    signal,
    requested: async () => {
      if (!signal.aborted) await once(signal, 'abort');
    },
    dispose: () => {
      for (const name of SIGNALS) signals.off(name, onSignal);
    },
  };
}
