const CLOCK = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const MINUTE = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const SHORT_DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'short', day: 'numeric' });
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric' });

/** `14:03:22` today, `Nov 12, 2026, 14:03:22` before. */
export function shownTime(iso: string, now: number): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  const clock = CLOCK.format(time);
  return DAY.format(time) === DAY.format(now) ? clock : `${DAY.format(time)}, ${clock}`;
}

/** `14:03` today, `Nov 12, 14:03` before. */
export function shownMinute(iso: string, now: number): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  const minute = MINUTE.format(time);
  return DAY.format(time) === DAY.format(now) ? minute : `${SHORT_DAY.format(time)}, ${minute}`;
}

/** `14:03:22`, where the day is known. */
export function shownClock(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? '' : CLOCK.format(time);
}

/** `Today`, `Yesterday`, `Thursday, Nov 12`, and with the year where it was another one. */
export function shownDay(iso: string, now: number): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  const today = new Date(now);
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (time.toDateString() === today.toDateString()) return 'Today';
  if (time.toDateString() === yesterday.toDateString()) return 'Yesterday';
  return time.getFullYear() === today.getFullYear() ? WEEKDAY.format(time) : DAY.format(time);
}
