import { ForgeError } from '../../shared/errors.ts';
import { isLoginPage, type Wanted } from './choose-tab.ts';
import { parseUrl } from '../../shared/parse-url.ts';

/** Checks that a tab has arrived where it was sent, before anything runs there (C-24). */
export function checkArrival(url: string, wanted: Wanted): void {
  if (isLoginPage(url, wanted)) throw loginRequired(url);
  if (wanted.pattern.matches(url) || hasOriginOf(wanted.url, url)) return;
  if (url === '' || /^https?:/.test(url)) {
    throw new ForgeError(
      'login_required',
      `The site led to ${url === '' ? 'another page' : short(url)}, which does not match ${wanted.hostMatch}; that is usually a login page.`,
      { hint: 'Log in to the site in this browser and try again.' },
    );
  }
  throw new ForgeError('page_error', `The tab shows ${short(url)}, where no tool can run.`);
}

/** The one failure a person solves by logging in. `failure` is what the script said when the page had left for its login. */
export function loginRequired(url: string, failure?: string): ForgeError {
  return new ForgeError('login_required', `You are not logged in: the browser is at ${short(url)}.`, {
    hint: 'Log in to the site in this browser and try again.',
    details: { url: short(url), ...(failure === undefined ? {} : { failure }) },
  });
}

function hasOriginOf(expected: string | null, url: string): boolean {
  const origin = parseUrl(expected ?? '')?.origin;
  return origin !== undefined && origin === parseUrl(url)?.origin;
}

/** An address without its query and fragment: login pages carry tokens in both. */
function short(url: string): string {
  return (url.split(/[?#]/, 1)[0] ?? '').slice(0, 300);
}
