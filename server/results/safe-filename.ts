import path from 'node:path';

const MAX_BYTES = 150;
// Separators and wildcards of any system, control characters, and the marks that make a name read backwards.
const UNSAFE = /[<>:"/\\|?*\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** A name that is safe to create on any system and says the same thing: only its last part, and nothing hidden. */
export function safeFilename(name: string, fallback = 'file'): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .replace(UNSAFE, '_')
    .replace(/^[.\s]+/, '')
    .replace(/[.\s]+$/, '');
  if (clean === '' || clean === '_') return fallback;
  return shorten(RESERVED.test(clean) ? `_${clean}` : clean);
}

/** Cuts the middle out: the ending says what kind of file it is. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const ending = path.extname(name);
  const kept = Buffer.byteLength(ending) <= 20 ? ending : '';
  const stem = Buffer.from(name.slice(0, name.length - kept.length)).subarray(0, MAX_BYTES - Buffer.byteLength(kept));
  // A character that was cut in two ends as U+FFFD.
  return (
    stem
      .toString('utf8')
      .replace(/\ufffd$/, '')
      .trimEnd() + kept
  );
}
