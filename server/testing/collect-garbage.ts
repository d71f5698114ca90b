import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// A new context has what the flag adds; this one was there before.
const collect = runInNewContext('gc') as () => void;

/** Afterwards only that is there which somebody holds on to. */
export function collectGarbage(): void {
  collect();
}
