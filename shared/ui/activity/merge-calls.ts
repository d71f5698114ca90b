interface Numbered {
  seq: number;
  id: string;
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
  if (fresh.length === 0) return known;
  // A call that ran when it was read last has another place now that it has ended.
  const ids = new Set(fresh.map(({ id }) => id));
  return [...fresh, ...known.filter(({ id }) => !ids.has(id))];
}
