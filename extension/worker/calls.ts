import { ForgeError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import { createControl, type CallControl } from '../runner/deadline.ts';

export type Calls = ReturnType<typeof createCalls>;

/** The calls that are running, so that they can be stopped. */
export function createCalls(clock: Clock) {
  const running = new Map<string, CallControl>();
  return {
    async run<T>(id: string, work: (control: CallControl) => Promise<T>): Promise<T> {
      if (running.has(id)) throw new ForgeError('conflict', `The call ${id} is running already.`);
      const control = createControl(clock);
      running.set(id, control);
      try {
        return await work(control);
      } finally {
        running.delete(id);
        control.end();
      }
    },
    cancel: (id: string): void => {
      running.get(id)?.stop(new ForgeError('cancelled', 'The caller stopped it.'));
    },
    ids: (): string[] => [...running.keys()],
    stopAll(error: ForgeError): void {
      for (const control of running.values()) control.stop(error);
    },
  };
}
