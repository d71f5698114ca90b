import type { Acquire } from '../../shared/bridge.ts';
import type { Clock } from '../clock.ts';
import { orAborted } from '../or-aborted.ts';
import { loginRequired } from '../tabs/arrival.ts';
import { isLoginPage } from '../tabs/choose-tab.ts';

/** How a page shows whether somebody is logged in; null for what a connector does not say. */
export interface LoginSigns {
  readonly loginRedirect: string | null;
  readonly loggedOut: string | null;
  readonly loggedIn: string | null;
}

/** What telling asks of the browser. */
export interface LoginEyes {
  /** Where a tab is now, as its events told; null when it is gone. */
  urlOf: (tabId: number) => string | null;
  hasSelector: (tabId: number, selector: string) => Promise<boolean>;
  now: Clock['now'];
  after: Clock['after'];
}

/** An application draws its page, or moves to its login, some time after it has loaded. */
const DRAWN_MS = 5000;
const MOVED_MS = 1000;
/** The same after a script that failed, which took some time itself. */
const MOVED_SINCE_MS = 500;
const EVERY_MS = 100;

export function signsOf({ login_redirect, login_selector, logged_in_selector = null }: Acquire): LoginSigns {
  return {
    loginRedirect: login_redirect,
    loggedOut: login_selector === '' ? null : login_selector,
    loggedIn: logged_in_selector === '' ? null : logged_in_selector,
  };
}

/** Throws when the page says that nobody is logged in, or does not say in time that somebody is. */
export async function requireLogin(
  tabId: number,
  signs: LoginSigns,
  signal: AbortSignal,
  eyes: LoginEyes,
  how: 'at once' | 'waiting' = 'at once',
): Promise<void> {
  const withoutSign = how === 'at once' ? 0 : MOVED_MS;
  const limitMs = signs.loggedIn === null ? withoutSign : DRAWN_MS;
  const at = await loggedOutAt(tabId, signs, { limitMs, signal }, eyes);
  if (at !== null) throw loginRequired(at);
}

/** What became of the login while a script ran that failed or found nothing: the address of the login page, or null. */
export async function loginSince(
  tabId: number,
  signs: LoginSigns,
  signal: AbortSignal,
  eyes: LoginEyes,
  how: 'at once' | 'waiting' = 'waiting',
): Promise<string | null> {
  if (signs.loginRedirect === null && signs.loggedOut === null && signs.loggedIn === null) return null;
  const url = eyes.urlOf(tabId);
  if (url !== null && isLoginPage(url, signs)) return url;
  // A page that cannot be looked at says nothing, and the script's own failure stands.
  const limitMs = how === 'at once' ? 0 : MOVED_SINCE_MS;
  return loggedOutAt(tabId, signs, { limitMs, signal }, eyes).catch(() => null);
}

/** Looks again and again until the page says one or the other; when time is over, only a missing sign of a login counts. */
async function loggedOutAt(
  tabId: number,
  signs: LoginSigns,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
  { urlOf, hasSelector, now, after }: LoginEyes,
): Promise<string | null> {
  const { loggedOut, loggedIn } = signs;
  const has = (selector: string): Promise<boolean> => orAborted(hasSelector(tabId, selector), signal);
  const until = now() + limitMs;
  for (;;) {
    const url = urlOf(tabId);
    if (url === null) return null;
    if (isLoginPage(url, signs)) return url;
    if (loggedOut !== null && (await has(loggedOut))) return url;
    if (loggedIn !== null && (await has(loggedIn))) return null;
    if (now() >= until) return loggedIn === null ? null : url;
    await orAborted(new Promise<void>((resolve) => after(EVERY_MS, resolve)), signal);
  }
}
