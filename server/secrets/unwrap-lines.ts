/** A text whose wrapped parts are in one piece. */
interface Unwrapped {
  text: string;
  /** Where a place of it was before. */
  original: (index: number) => number;
}

/** As much of a line as must look encoded for the next one to be its continuation; encoders wrap at 60 and more. */
export const LINE_CHARS = 32;

const RETURN = 0x0d;
const BACKSLASH = 0x5c;
const LETTER_R = 0x72;
const INDENT: ReadonlySet<number> = new Set([0x09, 0x20]);

/** By character code: what base64, base64url and hex are made of. */
const ENCODED = Uint8Array.from({ length: 128 }, (_, code) => (/[\w+/-]/.test(String.fromCharCode(code)) ? 1 : 0));

/** Puts together what an encoder has wrapped, such as base64 at 76 columns; null when there is no such thing in the text. */
export function unwrapLines(text: string): Unwrapped | null {
  // Most texts are one line, and need no lists to find that out.
  if (!text.includes('\n') && !text.includes('\\n') && !text.endsWith('\r')) return null;
  const parts: string[] = [];
  // Behind each part, how long the text is so far and how much is missing from it.
  const ends: number[] = [];
  const missing: number[] = [];
  let copied = 0;
  for (const { start, end } of breaksIn(text)) {
    parts.push(text.slice(copied, start));
    missing.push((missing.at(-1) ?? 0) + end - start);
    ends.push(end - (missing.at(-1) ?? 0));
    copied = end;
  }
  if (parts.length === 0) return null;
  parts.push(text.slice(copied));
  return { text: parts.join(''), original: (index) => index + (missing[lastAtMost(ends, index)] ?? 0) };
}

/** The breaks behind a line that looks encoded, before one that does too or may still come; also those that JSON has spelled out. */
function breaksIn(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const add = (start: number, behind: number): void => {
    if (!isEncodedLine(text, start)) return;
    let end = behind;
    while (INDENT.has(text.charCodeAt(end))) end += 1;
    if (end === text.length || isEncoded(text, end)) found.push({ start, end });
  };
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    add(text.charCodeAt(at - 1) === RETURN ? at - 1 : at, at + 1);
  }
  const count = found.length;
  for (let at = text.indexOf('\\n'); at !== -1; at = text.indexOf('\\n', at + 2)) {
    const newline = startOfEscape(text, at);
    const isReturn = text.charCodeAt(newline - 1) === LETTER_R && text.charCodeAt(newline - 2) === BACKSLASH;
    add(isReturn ? startOfEscape(text, newline - 2) : newline, at + 2);
  }
  if (text.endsWith('\r')) add(text.length - 1, text.length);
  return found.length === count ? found : found.sort((a, b) => a.start - b.start);
}

/** The first of the backslashes that end here: JSON inside JSON has several. */
function startOfEscape(text: string, at: number): number {
  let start = at;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return start;
}

function isEncodedLine(text: string, end: number): boolean {
  if (end < LINE_CHARS) return false;
  for (let index = end - 1; index >= end - LINE_CHARS; index -= 1) if (!isEncoded(text, index)) return false;
  return true;
}

function isEncoded(text: string, index: number): boolean {
  return ENCODED[text.charCodeAt(index)] === 1;
}

/** The place of the last number that is not larger; -1 when all of them are. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
