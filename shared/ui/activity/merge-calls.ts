interface Numbered {
  seq: number;
}

/** What is known, with the newest page on top; a page that does not reach what is known replaces it. */
export function mergeNewest<T extends Numbered>(
  known: readonly T[],
  page: readonly T[],
  isWhole: boolean,
): readonly T[] {
  const [first] = known;
  const last = page.at(-1);
  if (first === undefined || last === undefined) return page;
  if (isWhole || last.seq > first.seq) return page;
  const fresh = page.filter(({ seq }) => seq > first.seq);
  return fresh.length === 0 ? known : [...fresh, ...known];
}
