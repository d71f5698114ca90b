import type { JsonValue } from '../../shared/json.ts';
import type { Finder, FinderData } from './finder.ts';
import { findSecrets } from './find-secrets.ts';
import { MASK, masked } from './mask.ts';
import { maskedStream, type MaskedStream } from './masked-stream.ts';
import { changeUtf16 } from './utf16-views.ts';

const MAX_DEPTH = 1000;

const SHORT_CHARS = 200;
const MAX_SEEN = 200;

/** Replaces the secrets it knows, in every spelling, by `[secret]`. It learns none; whoever owns them does. */
export interface Masker {
  redact: (text: string) => string;
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
  /** For a text that comes in parts. */
  stream(): MaskedStream;
  /** What another thread needs to mask the same; `maskerFrom` makes a masker of it. */
  data(): FinderData[];
}

export function createMasker(finders: readonly Finder[]): Masker {
  const seen = new Map<string, string>();
  const written = new Map<string, string>();
  let version = -1;

  const isEmpty = (): boolean => finders.every((finder) => finder.isEmpty);
  /** What was remembered holds as long as no secret has come. */
  const remember = (): void => {
    let sum = 0;
    for (const finder of finders) sum += finder.version;
    if (sum === version) return;
    version = sum;
    seen.clear();
    written.clear();
  };
  const redact = (text: string): string => {
    if (isEmpty()) return text;
    remember();
    return remembered(seen, text, () => masked(text, findSecrets(finders, text)));
  };
  const textJson = (text: string): string => {
    remember();
    return remembered(written, text, () => JSON.stringify(redact(text)));
  };
  const redactValue = (value: JsonValue): JsonValue => redactItem(value, redact, 0);

  return {
    redact,
    redactValue,
    redactJson: (value, json = JSON.stringify(value)) => {
      // A text inside a value stands in its JSON exactly as JSON writes that text.
      if (isEmpty() || findSecrets(finders, json).length === 0) return { value, json };
      const clean = redactValue(value);
      return { value: clean, json: JSON.stringify(clean) };
    },
    textJson,
    textsJson: (texts) => {
      let json = '';
      for (const name in texts) json += `${json === '' ? '{' : ','}${textJson(name)}:${textJson(texts[name] ?? '')}`;
      return json === '' ? '{}' : `${json}}`;
    },
    redactBytes: (bytes) => (isEmpty() ? bytes : redactFile(finders, bytes)),
    redactAfter: (before, text) => {
      const all = before + text;
      return masked(all, findSecrets(finders, all), before.length);
    },
    stream: () => maskedStream(finders),
    data: () => finders.filter((finder) => !finder.isEmpty).map((finder) => finder.data()),
  };
}

function redactFile(finders: readonly Finder[], bytes: Uint8Array): Uint8Array {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = whole.toString('latin1');
  const ranges = findInBytes(finders, text);
  const clean = ranges.length === 0 ? whole : Buffer.from(masked(text, ranges), 'latin1');
  const cleaner = changeUtf16(clean, (view) => {
    const found = findSecrets(finders, view);
    return found.length === 0 ? null : masked(view, found);
  });
  return cleaner === whole ? bytes : cleaner;
}

/** The same as in a text, with spellings of bytes in place of characters. */
function findInBytes(finders: readonly Finder[], bytes: string): ReturnType<typeof findSecrets> {
  return findSecrets(
    finders.map((finder) => ({ isEmpty: finder.isEmpty, find: (text) => finder.findBytes(text) })),
    bytes,
  );
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
