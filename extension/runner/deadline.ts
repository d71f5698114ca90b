import { ForgeError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';

/** The life of one call: it ends by its deadline, by a cancel, or because everything is stopped. */
export interface CallControl {
  readonly signal: AbortSignal;
  /** Starts the clock; what the call is doing when time runs out decides the error. */
  start: (timeoutMs: number) => void;
  stage: 'waiting' | 'loading' | 'running';
  stop: (error: ForgeError) => void;
  /** No timer is left behind. */
  end: () => void;
}

export function createControl(clock: Clock): CallControl {
  const controller = new AbortController();
  let cancelTimer = (): void => undefined;
  const control: CallControl = {
    signal: controller.signal,
    stage: 'waiting',
    start(timeoutMs) {
      cancelTimer = clock.after(timeoutMs, () => controller.abort(outOfTime(control.stage, timeoutMs)));
    },
    stop(error) {
      controller.abort(error);
    },
    end() {
      cancelTimer();
    },
  };
  return control;
}

function outOfTime(stage: CallControl['stage'], timeoutMs: number): ForgeError {
  const time = `within ${timeoutMs} ms`;
  switch (stage) {
    case 'waiting':
      return new ForgeError('call_timeout', `Other calls kept the tab busy; this one did not get its turn ${time}.`);
    case 'loading':
      return new ForgeError('navigation_timeout', `The page did not finish loading ${time}.`);
    case 'running':
      return new ForgeError('call_timeout', `The script did not finish ${time}.`);
  }
}
