const CLOCK = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric' });

/** `14:03:22` today, `Nov 12, 2026, 14:03:22` before. */
export function shownTime(iso: string, now: number): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  const clock = CLOCK.format(time);
  return DAY.format(time) === DAY.format(now) ? clock : `${DAY.format(time)}, ${clock}`;
}
