// Finds a Firefox to test with. Plain JavaScript: the set-up step runs it before anything is built.
import { spawnSync } from 'node:child_process';

const NAMES = ['firefox-esr', 'firefox'];

/** The oldest Firefox that installs the extension; the extension's own manifest says the same. */
export const OLDEST_FIREFOX = 153;

/** The name of an installed Firefox that is new enough; null when there is none. */
export function findFirefox() {
  for (const name of NAMES) {
    const { stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' });
    const version = /Firefox (\d+)/.exec(stdout ?? '')?.[1];
    if (Number(version ?? 0) >= OLDEST_FIREFOX) return name;
  }
  return null;
}
