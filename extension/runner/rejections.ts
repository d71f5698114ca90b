import { ForgeError, isForgeError, type ErrorCode } from '../../shared/errors.ts';
import { parseUrl } from '../../shared/parse-url.ts';

/** The page was gone before the script started: nothing has run, and the call can look for its page again. */
export const NOT_STARTED = /^No (tab|document|frame) with id/;

const LEFT_PAGE = 'The tab was closed or left the page while the tool ran.';

export function leftPage(): ForgeError {
  return new ForgeError('tab_closed', LEFT_PAGE);
}

/** What browsers say when they refuse to run a script, and what it means. */
const REJECTIONS: [says: RegExp, code: ErrorCode, message: string][] = [
  [/Invalid tab ID/, 'tab_closed', 'The tab was closed.'],
  [/was removed|Message manager disconnected|destroyed/, 'tab_closed', LEFT_PAGE],
  [/is showing error page/, 'page_error', 'The tab shows an error page of the browser.'],
  [
    /Cannot access contents of|must request permission|Missing host permission|host_permissions/,
    'permission_missing',
    'The browser does not let Forge use this page.',
  ],
  [
    /Cannot access a chrome|cannot be scripted|extensions gallery|chrome-extension:\/\/|edge:\/\/|Cannot access/,
    'page_error',
    'The browser lets no extension run scripts on this page.',
  ],
  [/userScripts|user script/i, 'user_scripts_off', 'User scripts are not allowed for Forge in this browser.'],
];

/** One of our own errors for what the browser said; its own words are kept when they are unknown. */
export function fromRejection(error: unknown, url = ''): ForgeError {
  if (isForgeError(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  for (const [pattern, code, message] of REJECTIONS) {
    if (!pattern.test(said)) continue;
    const site = code === 'permission_missing' ? parseUrl(url) : null;
    const where = site === null ? '' : ` The site is ${site.origin}.`;
    return new ForgeError(code, message + where, { cause: error });
  }
  return new ForgeError('script_failed', `The browser could not run the script: ${said}`, { cause: error });
}
