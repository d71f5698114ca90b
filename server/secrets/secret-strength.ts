const STRONG_BITS = 50;
const MIN_DISTINCT = 5;
/** A word or two; more of them than a dictionary has words. */
const MAX_WORD_CHARS = 15;
const SHORT_CHARS = 8;

const TOKEN_CHARS = 16;
const TOKEN_DISTINCT = 8;

const ALPHABETS: readonly (readonly [RegExp, number])[] = [
  [/[0-9]/, 10],
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[^0-9a-zA-Z]/, 33],
];

/**
 * Whether a person or a program could find a secret by trying. Such a secret is never looked for in what a caller has said: where a
 * mask appears would tell which guess is right.
 */
export function isGuessable(secret: string): boolean {
  if (new Set(secret).size < MIN_DISTINCT) return true;
  // A word, and a word with a year or a few signs behind it, is what people choose and others try first.
  if (/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)[^a-zA-Z]{0,6}$/.test(secret)) return secret.length <= MAX_WORD_CHARS;
  const alphabet = ALPHABETS.reduce((sum, [some, size]) => (some.test(secret) ? sum + size : sum), 0);
  return secret.length * Math.log2(alphabet) < STRONG_BITS;
}

/** Whether a text that a service calls a token looks like one; words, commands and addresses do not. */
export function isTokenLike(text: string): boolean {
  if (text.length < TOKEN_CHARS || !/^[\x21-\x7e]+$/.test(text) || text.includes('://')) return false;
  const kinds = [/[0-9]/, /[a-z]/, /[A-Z]/].filter((kind) => kind.test(text)).length;
  return kinds >= 2 && new Set(text).size >= TOKEN_DISTINCT;
}

/** What a person should know about a secret they save; null when it is a good one. */
export function secretWarning(secret: string): string | null {
  if (secret.length < SHORT_CHARS)
    return `is shorter than ${SHORT_CHARS} characters: Forge cannot mask it reliably in results`;
  return isGuessable(secret) ? 'is easy to guess: Forge cannot mask it reliably in results' : null;
}
