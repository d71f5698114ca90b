/** True when every word that was typed stands somewhere in the texts, in any case. */
export function matchesSearch(search: string | undefined, texts: readonly string[]): boolean {
  const haystack = texts.join('\n').toLowerCase();
  const words = (search ?? '').toLowerCase().split(/\s+/);
  return words.every((word) => haystack.includes(word));
}
