import type { WireError } from '../../shared/bridge.ts';
import { ERRORS } from '../../shared/error-table.ts';
import { ForgeError, type ErrorCode } from '../../shared/errors.ts';

const MAX_MESSAGE = 2000;
const MAX_HINT = 500;
const MAX_DETAILS = 4000;

/** Codes that say something about Forge itself; a browser cannot know that, and some of them would not even be a call's answer. */
const NOT_FOR_BROWSERS: ReadonlySet<string> = new Set<ErrorCode>([
  'internal',
  'shutting_down',
  'tool_not_found',
  'approval_required',
  'store_corrupt',
  'disk_write_failed',
]);

/** What a browser reports, as a failure of the table. Its texts may quote a page, so they are cleaned and cut; secrets are masked first, since half of one is not recognised. */
export function errorOfWire({ code, message, hint, details }: WireError, redact: (text: string) => string): ForgeError {
  const known = isKnown(code) ? code : 'tool_error';
  const said = cleanText(redact(message), MAX_MESSAGE);
  return new ForgeError(known, said === '' ? `the browser reported ${cleanText(redact(code), 60)}` : said, {
    ...(hint === undefined ? {} : { hint: cleanText(redact(hint), MAX_HINT) }),
    ...(details === undefined || JSON.stringify(details).length > MAX_DETAILS ? {} : { details }),
  });
}

/** A text from outside as one that can be shown: no control characters but line breaks and tabs, no broken ones, not too long. */
export function cleanText(text: string, maxChars: number): string {
  const clean = text.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, ' ').trim();
  return clean.length <= maxChars ? clean.toWellFormed() : `${clean.slice(0, maxChars).toWellFormed()}…`;
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code) && !NOT_FOR_BROWSERS.has(code);
}

/** A tab's id means something only together with its browser's. */
export function whereToLogIn(error: ForgeError, browser_id: string): ForgeError {
  const { code, message, hint, details } = error;
  if (code !== 'login_required' || typeof details !== 'object' || details === null || !('tab_id' in details))
    return error;
  return new ForgeError(code, message, { hint, details: { ...details, browser_id } });
}
