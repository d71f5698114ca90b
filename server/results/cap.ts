import type { JsonValue } from '../../shared/json.ts';
import { cutText } from './cut-text.ts';
import type { ResultStore } from './handles.ts';
import { charsOf, headOf } from './measure.ts';
import type { Origin } from './origin.ts';
import { describeShape } from './shape.ts';

/** What may be handed over at once. */
export interface Capped {
  value: JsonValue;
  /** Where the whole value is kept when it was too large; null when it was not, or when it is too large even to keep. */
  handle: string | null;
}

interface CapLimits {
  maxChars?: number;
  headChars?: number;
  /** The size of the value and its JSON, when somebody has them already. */
  chars?: number;
  json?: string;
  /** The tool it came from. */
  origin?: Origin;
}

/** Hands over small results as they are; of a large one the beginning, how it is built, and a handle to read the rest by. */
export function capResult(value: JsonValue, store: Pick<ResultStore, 'put'>, limits: CapLimits = {}): Capped {
  const { maxChars = 16_000, headChars = 4000, chars = charsOf(value) } = limits;
  if (chars <= maxChars) return { value, handle: null };
  const { json } = limits;
  const handle = store.put(value, json, limits.origin);
  const head = json === undefined || typeof value === 'string' ? headOf(value, headChars) : cutText(json, headChars);
  return { value: { truncated: true, head, shape: describeShape(value), total_chars: chars, handle }, handle };
}
