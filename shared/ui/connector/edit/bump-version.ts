import { parseVersion } from '../../../manifest/semver.ts';

const VERSION_LINE = /^(version[ \t]*:[ \t]*)(["']?)([^"'#\s]+)\2/m;

/** The manifest with its patch version one higher, unless somebody has given it another version than the installed one already. */
export function bumpVersion(text: string, installed: string): string {
  const [line, before = '', quote = '', written = ''] = VERSION_LINE.exec(text) ?? [];
  const version = parseVersion(written);
  if (line === undefined || written !== installed || version === null) return text;
  const [major, minor, patch] = version.numbers;
  // A version without quotes is text only while it has two dots, so it always gets them.
  const mark = quote === '' ? '"' : quote;
  return text.replace(VERSION_LINE, () => `${before}${mark}${major}.${minor}.${patch + 1}${mark}`);
}
