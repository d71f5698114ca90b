/** A pattern of a manifest, ready for `new RegExp`. */
export interface SshPattern {
  source: string;
  flags: string;
}

/** Patterns are short; a long one is a mistake or an attack. */
const MAX_PATTERN_CHARS = 1000;

/** Reads a pattern. `(?i)` and its like at the beginning, which other languages have, count as flags. */
export function readPattern(text: string, flags: string): SshPattern {
  const inline = /^\(\?([ims]{1,3})\)/.exec(text);
  if (inline === null) return { source: text, flags };
  return { source: text.slice(inline[0].length), flags: [...new Set(flags + (inline[1] ?? ''))].join('') };
}

/** What is wrong with a pattern, or null. */
export function patternProblem(text: string): string | null {
  if (text === '') return 'it is empty, and would match at once';
  if (text.length > MAX_PATTERN_CHARS) return `it is longer than ${MAX_PATTERN_CHARS} characters`;
  const { source, flags } = readPattern(text, '');
  try {
    new RegExp(source, flags);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** True when a pattern that can be read has a group to take a value from. */
export function hasGroup(text: string): boolean {
  const { source, flags } = readPattern(text, '');
  // With an empty alternative it matches anything, and the match has a place for every group.
  return (new RegExp(`${source}|`, flags).exec('')?.length ?? 0) > 1;
}
