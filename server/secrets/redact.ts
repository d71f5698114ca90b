import type { JsonValue } from '../../shared/json.ts';
import type { PatternSearch } from './pattern-search.ts';
import { secretSearch } from './secret-search.ts';
import { secretVariants } from './secret-variants.ts';
import { LINE_CHARS } from './unwrap-lines.ts';
import { changeUtf16 } from './utf16-views.ts';

const MASK = '[secret]';

// Three characters occur by chance all over a text: masking them would ruin results and, by where the masks stand, tell the secret.
const MIN_SECRET_CHARS = 4;

const MAX_DEPTH = 1000;

const SHORT_CHARS = 200;
const MAX_SEEN = 500;

export interface Redactor {
  /** A secret that a person has saved, or Forge's own: it is known for good. */
  add(secretText: string): void;
  /** A secret of a call, such as a bearer: one that comes and goes, so only the last ones are known. */
  addPassing(secretText: string): void;
  redact(text: string): string;
  /** Strings, object keys and numbers of a JSON value; the value itself is not changed. */
  redactValue(value: JsonValue): JsonValue;
  /**
   * The same, together with its JSON text. Most values hold no secret, and then one look at the text is all it takes. Whoever has
   * that text already may bring it, if texts in it are written as JSON.stringify writes them.
   */
  redactJson(value: JsonValue, json?: string): { value: JsonValue; json: string };
  /** A text's JSON, redacted. */
  textJson(text: string): string;
  /** Names and texts as JSON, both redacted. */
  textsJson(texts: Readonly<Record<string, string>>): string;
  /** A file, whatever it holds; it stays as it is when no secret is in it. */
  redactBytes(bytes: Uint8Array): Uint8Array;
  /** The end of a text whose beginning is left out; a secret that began there is masked as well. */
  redactAfter(before: string, text: string): string;
  /** For a text that comes in parts: one that may end in the beginning of a secret is held back until the next. */
  stream(): RedactedStream;
}

interface RedactedStream {
  push(text: string): string;
  /** What was held back last. */
  end(): string;
}

/**
 * Replaces known secrets, in every spelling, by `[secret]`.
 * Of those that come and go it remembers a limited number and forgets the one that was added longest ago.
 */
export function createRedactor(options: { maxPassing?: number } = {}): Redactor {
  const { maxPassing = 500 } = options;
  const known = new Map<string, Set<string>>();
  /** Those of the known ones that may be forgotten, in the order in which they came. */
  const passing = new Set<string>();
  let find: PatternSearch | undefined;
  let findBytes: PatternSearch | undefined;
  let findInJson: PatternSearch | undefined;

  const search = (): PatternSearch => (find ??= secretSearch(allOf(known.values())));
  const seen = new Map<string, string>();
  const written = new Map<string, string>();
  const redact = (text: string): string =>
    known.size === 0 ? text : remembered(seen, text, () => masked(text, search()(text)));
  const textJson = (text: string): string => remembered(written, text, () => JSON.stringify(redact(text)));
  const redactValue = (value: JsonValue): JsonValue => redactItem(value, redact, 0);
  /** A text inside a value stands in its JSON exactly as JSON writes that text. */
  const isInJson = (json: string): boolean => {
    if (known.size === 0) return false;
    findInJson ??= secretSearch(jsonTexts(allOf(known.values())));
    return findInJson(json).length > 0;
  };

  const learn = (secretText: string): void => {
    known.set(secretText, secretVariants(secretText));
    seen.clear();
    written.clear();
    find = undefined;
    findBytes = undefined;
    findInJson = undefined;
  };

  return {
    add: (secretText) => {
      if (secretText.length < MIN_SECRET_CHARS) return;
      if (!known.has(secretText)) learn(secretText);
      passing.delete(secretText);
    },
    addPassing: (secretText) => {
      if (secretText.length < MIN_SECRET_CHARS) return;
      const isSaved = known.has(secretText) && !passing.has(secretText);
      if (isSaved) return;
      if (!known.has(secretText)) learn(secretText);
      passing.delete(secretText);
      passing.add(secretText);
      const [oldest] = passing;
      if (passing.size <= maxPassing || oldest === undefined) return;
      passing.delete(oldest);
      known.delete(oldest);
    },
    redact,
    redactValue,
    redactJson: (value, json = JSON.stringify(value)) => {
      if (!isInJson(json)) return { value, json };
      const clean = redactValue(value);
      return { value: clean, json: JSON.stringify(clean) };
    },
    textJson,
    textsJson: (texts) => {
      let json = '';
      for (const name in texts) json += `${json === '' ? '{' : ','}${textJson(name)}:${textJson(texts[name] ?? '')}`;
      return json === '' ? '{}' : `${json}}`;
    },
    redactBytes: (bytes) => {
      if (known.size === 0) return bytes;
      findBytes ??= secretSearch(utf8Bytes(allOf(known.values())));
      const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const text = whole.toString('latin1');
      const ranges = findBytes(text);
      const clean = ranges.length === 0 ? whole : Buffer.from(masked(text, ranges), 'latin1');
      const cleaner = changeUtf16(clean, (view) => {
        const found = search()(view);
        return found.length === 0 ? null : masked(view, found);
      });
      return cleaner === whole ? bytes : cleaner;
    },
    redactAfter: (before, text) => {
      const stream = createStream(() => (known.size === 0 ? null : search()));
      stream.push(before);
      return stream.push(text) + stream.end();
    },
    stream: () => createStream(() => (known.size === 0 ? null : search())),
  };
}

/** `search` is null as long as no secret is known. */
function createStream(search: () => PatternSearch | null): RedactedStream {
  let held = '';
  // What has gone out last: whether a line is the continuation of another depends on that one.
  let before = '';
  const release = (all: string, cut: number): string => {
    const find = search();
    const clean = find === null ? all.slice(before.length, cut) : masked(all, find(all), before.length, cut);
    held = all.slice(cut);
    before = all.slice(0, cut).slice(-LINE_CHARS);
    return clean;
  };
  return {
    push: (text) => {
      const all = before + held + text;
      const cut = search()?.undecidedFrom(all) ?? all.length;
      return release(all, Math.max(cut, before.length));
    },
    end: () => {
      const all = before + held;
      return release(all, all.length);
    },
  };
}

/** Headers, names and addresses come again with every call. */
function remembered(seen: Map<string, string>, text: string, redact: () => string): string {
  if (text.length > SHORT_CHARS) return redact();
  let clean = seen.get(text);
  if (clean === undefined) {
    clean = redact();
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.set(text, clean);
  }
  return clean;
}

/** A part of a text, with what was found in it masked. */
function masked(text: string, ranges: ReturnType<PatternSearch>, from = 0, to = text.length): string {
  let result = '';
  let copied = from;
  for (const { start, end } of ranges) {
    if (end <= from || start >= to) continue;
    result += text.slice(copied, start) + MASK;
    copied = end;
  }
  return result + text.slice(copied, to);
}

/** Texts as a file has them, one character for each byte. */
function* utf8Bytes(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield Buffer.from(text, 'utf8').toString('latin1');
}

/** Texts as they stand between the quotes of JSON. */
function* jsonTexts(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield JSON.stringify(text).slice(1, -1);
}

function* allOf(sets: Iterable<Set<string>>): Generator<string> {
  for (const set of sets) yield* set;
}

function redactItem(value: JsonValue, redact: (text: string) => string, depth: number): JsonValue {
  // Deeper values would exhaust the stack, and what was not looked at must not pass.
  if (depth > MAX_DEPTH) return MASK;
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redact(String(value)) === String(value) ? value : MASK;
  if (Array.isArray(value)) return value.map((item) => redactItem(item, redact, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries makes own properties only, also of a key called __proto__.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactItem(item, redact, depth + 1)]),
  );
}
