/** The known word closest to a mistyped one, or null when nothing is near enough to be a likely slip. */
export function closestWord(word: string, known: Iterable<string>): string | null {
  const typed = word.slice(0, 64).toLowerCase();
  const limit = Math.max(1, Math.floor(typed.length / 3));
  let best: { word: string; distance: number } | null = null;
  for (const candidate of known) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance <= limit && (best === null || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word ?? null;
}

/** Looks for the closest word, for the first `limit` words only: each is compared with every known one. */
export function limitedClosestWord(limit: number): typeof closestWord {
  let left = limit;
  return (word, known) => {
    left -= 1;
    return left < 0 ? null : closestWord(word, known);
  };
}

/** `did you mean X?` with a leading comma, or nothing. */
export function suggestion(word: string, known: Iterable<string>, closestTo = closestWord): string {
  const closest = closestTo(word, known);
  return closest === null ? '' : `, did you mean \`${closest}\`?`;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost one each. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
