import type { JsonValue } from '../json.ts';

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

// `before` and `after` are the characters next to the value.

/** Text for the inside of '…', "…" or `…`: it can neither end the literal nor start an interpolation. */
export function escapeForString(text: string, before: string): string {
  const escaped = text.replace(/[\\'"`$<\p{Cc}\p{Cs}\u2028\u2029]/gu, (character) =>
    /[\\'"`$]/.test(character) ? `\\${character}` : escapeCharacter(character),
  );
  // After `\0` a digit would be read as part of the escape.
  return /[0-9]/.test(before) && /^[0-9]/.test(escaped) ? escapeFirst(escaped) : escaped;
}

/** Text for the inside of /…/ that matches itself, in a character class and under the flags u and v too. */
export function escapeForRegex(text: string, before: string): string {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/\-<&!#%,:;=>@`~\p{Cc}\p{Cs}\u2028\u2029]/gu, (character) =>
    /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : escapeCharacter(character),
  );
  // After `\1`, `\c` or `\x4` a letter or digit would be read as part of the escape.
  return /[A-Za-z0-9]/.test(before) && /^[A-Za-z0-9]/.test(escaped) ? escapeFirst(escaped) : escaped;
}

/** A value as an expression; brackets keep a sign, an object or a neighbouring name from being read as something else. */
export function codeLiteral(value: JsonValue, before: string, after: string): string {
  const literal = JSON.stringify(value).replace(/[<\u2028\u2029]/g, escapeCharacter);
  const isObject = literal.startsWith('{');
  const isGlued = !/^["[]/.test(literal) && (/[\w$\u0080-\uffff]/.test(before) || /[\w$.\u0080-\uffff]/.test(after));
  return isObject || isGlued || literal.startsWith('-') ? `(${literal})` : literal;
}

function escapeFirst(text: string): string {
  return escapeCharacter(text.charAt(0)) + text.slice(1);
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  return SHORT_ESCAPES[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`);
}
