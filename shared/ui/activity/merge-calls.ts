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
  // The page is newer than what is known: a call that ran has ended at another place, and a question may be answered.
  const ids = new Set(page.map(({ id }) => id));
  return [...page, ...known.filter(({ seq, id }) => seq < last.seq && !ids.has(id))];
}
