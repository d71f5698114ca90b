import type { JsonValue } from '../../shared/json.ts';
import type { Masker } from '../secrets/masker.ts';
import { clipText } from './cut-text.ts';
import { headOf } from './measure.ts';
import { ownJson } from './path.ts';
import type { ReadBody } from './read-body.ts';
import { textOfHtml } from './text-of-html.ts';

const MAX_CHARS = 1000;
const MAX_LEVELS = 4;
/** Where services put the reason, most telling first. */
const REASON_KEYS = ['message', 'error', 'error_description', 'errors', 'errorMessages', 'detail', 'details', 'title'];

/** Masks secrets in what is about to be cut: a half of one would not be recognised afterwards. */
export type CutRedactor = Pick<Masker, 'redact' | 'redactValue'>;

/** What the body of a failed request says, in at most 1,000 characters; empty when it says nothing. */
export function errorTextOf(body: ReadBody, redactor: CutRedactor): string {
  switch (body.kind) {
    case 'empty':
      return '';
    case 'binary':
      return `(a file of type ${body.contentType})`;
    case 'json':
      return reasonText(body.value, redactor);
    case 'text': {
      const clean = redactor.redact(body.text);
      // A page spells some characters as entities, so a secret may show only in its words.
      return clipText(body.isHtml ? redactor.redact(textOfHtml(clean)) : clean.trim(), MAX_CHARS);
    }
  }
}

/** The reasons that a value holds, wherever services put them; its beginning where none is found. */
export function reasonText(whole: JsonValue, redactor: CutRedactor): string {
  const value = redactor.redactValue(whole);
  return clipText(reasonsIn(value, MAX_LEVELS).join('; ') || headOf(value, MAX_CHARS + 1), MAX_CHARS);
}

function reasonsIn(value: JsonValue, levels: number): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => reasonsIn(item, levels - 1)))];
  const named = REASON_KEYS.flatMap((key) => {
    const found = ownJson(value, key);
    return found === undefined ? [] : reasonsIn(found, levels - 1);
  });
  if (named.length > 0) return [...new Set(named)];
  // A map from field to complaint, as in {"errors": {"summary": "is required"}}.
  if (levels === MAX_LEVELS) return [];
  return Object.entries(value).flatMap(([key, child]) => reasonsIn(child, levels - 1).map((text) => `${key}: ${text}`));
}
