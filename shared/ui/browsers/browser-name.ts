/** Most specific first: every browser also calls itself by the names of others. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/\b(?:Headless)?Chrome\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* Safari/, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** What a person calls the browser that a user agent belongs to; the text itself where that cannot be told. */
export function browserName(userAgent: string): string {
  const found = BROWSERS.find(([pattern]) => pattern.test(userAgent));
  if (found === undefined) return userAgent === '' ? 'Unknown browser' : userAgent.slice(0, 80);
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const version = found[0].exec(userAgent)?.[1] ?? '';
  return `${found[1]} ${version}${system === undefined ? '' : ` on ${system}`}`;
}
