import type { JsonValue } from '../../shared/json.ts';
import { cutText } from './cut-text.ts';
import type { ResultStore } from './handles.ts';
import { charsOf, cutEscaped, headOf } from './measure.ts';
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
  /** The size of the value and its JSON, when somebody has them already. */
  chars?: number;
  json?: string;
  /** The tool it came from. */
  origin?: Origin;
}

/** What a model is told beside a result that was cut: how to read on. */
const NOTE_CHARS = 200;
/** A shape may be large; the beginning says more. */
const MIN_HEAD_CHARS = 4000;

/** Hands over small results as they are; of a large one the beginning, how it is built, and a handle to read the rest by. */
export function capResult(value: JsonValue, store: Pick<ResultStore, 'put'>, limits: CapLimits = {}): Capped {
  const { maxChars = 16_000, chars = charsOf(value) } = limits;
  if (chars <= maxChars) return { value, handle: null };
  const { json } = limits;
  const handle = store.put(value, json, limits.origin);
  const whole = json === undefined || typeof value === 'string' ? headOf(value, maxChars) : cutText(json, maxChars);
  const about = { shape: describeShape(value), total_chars: chars, handle };
  const room = maxChars - NOTE_CHARS - charsOf({ truncated: true, head: '', ...about });
  const head = cutEscaped(whole, Math.max(room, MIN_HEAD_CHARS));
  return { value: { truncated: true, head, ...about }, handle };
}
