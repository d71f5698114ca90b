const SECONDS = /^\d{1,9}$/;
const HTTP_DATE = /^[A-Z][a-z]{2}/;

/** How long a Retry-After header asks to wait, or null when it makes no sense. */
export function parseRetryAfter(value: string, now: number): number | null {
  const text = value.trim();
  if (SECONDS.test(text)) return Number(text) * 1000;
  // Only dates by name: the lenient parser of JavaScript would take "-1" for a year.
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
