import type { JsonValue } from '../../shared/json.ts';
import { parsePath, pickPath } from '../results/path.ts';
import type { DoneTest, WatchPlan } from './watch.ts';

export type Verdict = 'done' | 'failed' | 'going';

/** What a poll's result says. One that says both is a failure: somebody should look. */
export function judge(result: JsonValue, { done, failPath }: Pick<WatchPlan, 'done' | 'failPath'>): Verdict {
  if (failPath !== null && isTruthy(valueAt(result, failPath))) return 'failed';
  return done.some((test) => isMet(result, test)) ? 'done' : 'going';
}

function isMet(result: JsonValue, test: DoneTest): boolean {
  const value = valueAt(result, test.path);
  return test.kind === 'path' ? isTruthy(value) : isScalar(value) && String(value) === test.equals;
}

function valueAt(result: JsonValue, path: string): JsonValue | undefined {
  const steps = parsePath(path);
  return steps === null ? undefined : pickPath(result, steps);
}

/** Nothing, an empty list and an empty object say no, and so do the texts that programs print for it. */
function isTruthy(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string') return !['', 'false', '0'].includes(value.trim().toLowerCase());
  if (typeof value === 'object') return Object.keys(value).length > 0;
  return Boolean(value);
}

/** A number and the text of it are the same: what a terminal or a header says is always text. */
function isScalar(value: JsonValue | undefined): value is string | number | boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}
