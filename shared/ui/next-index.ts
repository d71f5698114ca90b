/** Where a key leads in a list, or in a grid that has so many columns; null when it is not one that moves. */
export function nextIndex(key: string, here: number, count: number, columns = 1): number | null {
  if (count === 0) return null;
  const last = count - 1;
  const within = (index: number): number => Math.max(0, Math.min(index, last));
  switch (key) {
    case 'ArrowDown':
      if (here < 0 || here + columns <= last) return here < 0 ? 0 : here + columns;
      // From above a last row that is not full, down means its end.
      return Math.floor(here / columns) < Math.floor(last / columns) ? last : here;
    case 'ArrowUp':
      return here < columns ? within(here) : here - columns;
    case 'ArrowRight':
      return columns === 1 ? null : within(here + 1);
    case 'ArrowLeft':
      return columns === 1 ? null : within(here - 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
