import type { JsonValue } from '../../shared/json.ts';
import { patternSearch } from './pattern-search.ts';
import { secretVariants } from './secret-variants.ts';

const MASK = '[secret]';

// Three characters occur by chance all over a text: masking them would ruin results and, by where the masks stand, tell the secret.
const MIN_SECRET_CHARS = 4;

const MAX_DEPTH = 1000;

export interface Redactor {
  add(secretText: string): void;
  redact(text: string): string;
  /** Strings, object keys and numbers of a JSON value; the value itself is not changed. */
  redactValue(value: JsonValue): JsonValue;
}

/**
 * Replaces known secrets, in every spelling, by `[secret]`.
 * It remembers a limited number of them and forgets the one that was added longest ago.
 */
export function createRedactor(options: { maxSecrets?: number } = {}): Redactor {
  const { maxSecrets = 500 } = options;
  const known = new Map<string, Set<string>>();
  let find: ReturnType<typeof patternSearch> | undefined;

  const redact = (text: string): string => {
    if (known.size === 0) return text;
    find ??= patternSearch(allOf(known.values()));
    let result = '';
    let copied = 0;
    for (const { start, end } of find(text)) {
      result += text.slice(copied, start) + MASK;
      copied = end;
    }
    return result + text.slice(copied);
  };

  return {
    add: (secretText) => {
      if (secretText.length < MIN_SECRET_CHARS) return;
      const variants = known.get(secretText);
      known.delete(secretText);
      known.set(secretText, variants ?? secretVariants(secretText));
      if (variants !== undefined) return;
      find = undefined;
      for (const [oldest] of known) {
        if (known.size <= maxSecrets) break;
        known.delete(oldest);
      }
    },
    redact,
    redactValue: (value) => redactJson(value, redact, 0),
  };
}

function* allOf(sets: Iterable<Set<string>>): Generator<string> {
  for (const set of sets) yield* set;
}

function redactJson(value: JsonValue, redact: (text: string) => string, depth: number): JsonValue {
  // Deeper values would exhaust the stack, and what was not looked at must not pass.
  if (depth > MAX_DEPTH) return MASK;
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redact(String(value)) === String(value) ? value : MASK;
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries makes own properties only, also of a key called __proto__.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactJson(item, redact, depth + 1)]),
  );
}
