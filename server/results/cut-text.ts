/** The first characters of a text, without half of one that takes two places. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const endsInHalf = maxChars > 0 && (text.charCodeAt(maxChars - 1) & 0xfc00) === 0xd800;
  return text.slice(0, endsInHalf ? maxChars - 1 : maxChars);
}

/** The same, with a mark where something is missing. */
export function clipText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutText(text, maxChars - 1)}…`;
}

/**
 * The same for a text in which secrets have not been masked yet: it ends with a whole word, because half a secret would not be
 * recognised afterwards.
 */
export function clipWords(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const whole = /^[^]*(?=\s)/.exec(text.slice(0, maxChars))?.[0] ?? '';
  return `${whole.trimEnd()}…`;
}
