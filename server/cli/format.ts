/** A moment as the clock on the wall shows it. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** The same for lists: of a moment of today the time, of an earlier one the day too. */
export function listTime(iso: string, now = new Date()): string {
  const time = localTime(iso);
  const [day = '', clock = ''] = time.split(' ');
  return localTime(now.toISOString()).startsWith(day) ? clock : time.slice(0, -3);
}

/** `12 ms`, `1.5 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1) return '<1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
