import type { UserScripts } from '../runner/run-script.ts';

/** Remembers whether user scripts are allowed. No event tells of the switch, so it is looked at again at every sign of a change. */
export function createUserScripts(ask: () => Promise<boolean>, onChange: (isOn: boolean) => void): UserScripts {
  let isOn = false;
  return {
    isOn: () => isOn,
    async check() {
      const now = await ask();
      if (now !== isOn) {
        isOn = now;
        onChange(now);
      }
      return now;
    },
  };
}
