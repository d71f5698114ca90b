import type { Context } from 'koa';
import type { PageSession, PageSessions } from '../sessions/page-sessions.ts';

export const PAGE_KEY_HEADER = 'x-forge-page-key';
/** Other servers of this computer can set cookies of the same name; they cannot push ours out. */
const MAX_COOKIES = 8;

/** Cookies ignore the port, so its name carries it: two Forges on one computer keep apart. */
export function cookieName(port: number): string {
  return `forge_session_${port}`;
}

/** The session of a page: its cookie, which comes along by itself, and its key, which only the page's own origin has. */
export function sessionOf(ctx: Context, sessions: PageSessions, port: number): PageSession | null {
  const key = ctx.get(PAGE_KEY_HEADER);
  return key === '' ? null : sessions.find(cookiesIn(ctx.get('cookie'), cookieName(port)), key);
}

function cookiesIn(header: string, name: string): string[] {
  const values = header.split(';').flatMap((pair) => {
    const [found = '', value = ''] = pair.trim().split('=', 2);
    return found === name && value !== '' ? [value] : [];
  });
  return values.slice(0, MAX_COOKIES);
}
