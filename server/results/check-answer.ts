import type { JsonValue } from '../../shared/json.ts';
import { reasonText, type CutRedactor } from './error-text.ts';
import { pickPath, requirePath } from './path.ts';

/** The part of a tool, or of a test, that says when an answer is no success although its status says so. */
export interface AnswerChecks {
  /** Something here means failure, and says why. */
  error_path?: string | undefined;
  /** Anything else here means failure. */
  ok_match?: { path: string; equals: string | number | boolean } | undefined;
  expect?: { min_items?: number | undefined } | undefined;
}

/** Why an answer is a failure, in words; null when it is none. `value` is undefined for an answer that is no JSON. */
export function answerProblem(
  value: JsonValue | undefined,
  { error_path, ok_match }: AnswerChecks,
  redactor: CutRedactor,
): string | null {
  if (error_path !== undefined && value !== undefined) {
    const error = pickPath(value, requirePath(error_path, 'error_path'));
    if (error !== undefined && !isNothing(error)) return saidBy(error, error_path, value, redactor);
  }
  if (ok_match === undefined) return null;
  const { path, equals } = ok_match;
  if (value === undefined) return `the answer is not JSON, and ${path} should be ${String(equals)}`;
  const found = pickPath(value, requirePath(path, 'ok_match'));
  const all = Array.isArray(found) ? found : [found];
  if (all.length > 0 && all.every((one) => isScalar(one) && String(one) === String(equals))) return null;
  return `${path} is not ${String(equals)}: ${reasonText(value, redactor)}`;
}

/** Why a result is less than its tool always has; null when it is enough. */
export function resultProblem(result: JsonValue | undefined, { expect }: AnswerChecks): string | null {
  const wanted = expect?.min_items;
  if (wanted === undefined) return null;
  if (!Array.isArray(result)) return `the result is not a list, and at least ${count(wanted)} should be in it`;
  return result.length >= wanted ? null : `the result has ${count(result.length)}, and should have at least ${wanted}`;
}

function saidBy(error: JsonValue, path: string, value: JsonValue, redactor: CutRedactor): string {
  if (typeof error === 'string' || typeof error === 'object') return reasonText(error, redactor);
  return `${path} is ${String(error)}: ${reasonText(value, redactor)}`;
}

/** What services put where there is no error. */
function isNothing(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isNothing);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === 0 || value === '' || value === '0';
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}

function count(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
}
