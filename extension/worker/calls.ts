import { ForgeError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import { createControl, type CallControl } from '../runner/deadline.ts';

export type Calls = ReturnType<typeof createCalls>;

/** The calls that are running, so that they can be stopped. */
export function createCalls(clock: Clock) {
  const running = new Map<string, CallControl & { isNamed: boolean }>();
  return {
    /** `isNamed` says that the id is the server's own. */
    async run<T>(id: string, isNamed: boolean, work: (control: CallControl) => Promise<T>): Promise<T> {
      if (running.has(id)) throw new ForgeError('conflict', `The call ${id} is running already.`);
      const control = createControl(clock);
      running.set(id, Object.assign(control, { isNamed }));
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
    /** Those that the server can ask about. */
    named: (): string[] => [...running].filter(([, { isNamed }]) => isNamed).map(([id]) => id),
    stopAll(error: ForgeError): void {
      for (const control of running.values()) control.stop(error);
    },
  };
}
