import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../store/database.ts';
import type { Database } from '../../store/sqlite.ts';
import { tempFolder } from '../../testing/forge.ts';
import { createLoginCodes } from './login-codes.ts';
import { createPageSessions, type PageSessions } from './page-sessions.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
let at = 0;
let db: Database;
let sessions: PageSessions;

beforeEach(async () => {
  at = Date.parse('2026-01-01T00:00:00Z');
  db = await openDatabase(`${tempFolder()}/forge.db`);
  onTestFinished(() => db.close());
  sessions = createPageSessions({ db, now: () => at });
});

describe('S10 sessions of pages', () => {
  it('a cookie and a key open one only together, and neither is stored', () => {
    const { session, credentials } = sessions.begin('Firefox');
    const other = sessions.begin('Chromium').credentials;
    const { cookie, key } = credentials;
    expect(sessions.find([cookie], key)?.id).toBe(session.id);
    expect(sessions.find(['planted', cookie], key)?.id).toBe(session.id);
    for (const [cookies, given] of [
      [[cookie], ''],
      [[], key],
      [[cookie], other.key],
      [[other.cookie], key],
      [[key], cookie],
      [[cookie], cookie],
    ] as const)
      expect(sessions.find(cookies, given)).toBeNull();
    const stored = JSON.stringify([
      db.prepare('SELECT * FROM page_sessions').all(),
      db.prepare('SELECT * FROM page_session_keys').all(),
    ]);
    expect(stored).not.toContain(cookie);
    expect(stored).not.toContain(key);
  });

  it('ends when it is ended, with its streams, and no other', () => {
    const one = sessions.begin('a');
    const two = sessions.begin('b');
    const streams = [new PassThrough(), new PassThrough()];
    sessions.hold(one.session.id, streams[0]!);
    sessions.hold(two.session.id, streams[1]!);
    sessions.end(one.session.id);
    expect(sessions.find([one.credentials.cookie], one.credentials.key)).toBeNull();
    expect(sessions.find([two.credentials.cookie], two.credentials.key)).not.toBeNull();
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    expect(() => sessions.end(one.session.id)).toThrow('there is no signed-in page');
    sessions.endAll();
    expect(streams[1]?.destroyed).toBe(true);
    expect(sessions.list()).toEqual([]);
    const late = new PassThrough();
    sessions.hold(two.session.id, late);
    expect(late.destroyed).toBe(true);
  });

  it('ends after 30 days without use, and not before', () => {
    const { credentials } = sessions.begin('a');
    for (const days of [29, 29]) {
      at += days * DAY;
      expect(sessions.find([credentials.cookie], credentials.key)).not.toBeNull();
    }
    at += 30 * DAY;
    expect(sessions.find([credentials.cookie], credentials.key)).toBeNull();
    expect(sessions.list()).toEqual([]);
  });

  it('gets new credentials after a day; the old ones end soon after the new ones were used', () => {
    const { session, credentials: old } = sessions.begin('a');
    expect(sessions.renew(session.id, old.key)).toBeNull();
    at += DAY;
    const fresh = sessions.renew(session.id, old.key)!;
    expect(fresh.key).not.toBe(old.key);
    at += MINUTE;
    expect(sessions.renew(session.id, old.key)).toBeNull();
    // Tabs see the new cookie before the new key.
    expect(sessions.find([fresh.cookie], old.key)).not.toBeNull();
    expect(sessions.find([fresh.cookie], fresh.key)).not.toBeNull();
    at += MINUTE;
    expect(sessions.find([old.cookie], old.key)).not.toBeNull();
    at += MINUTE;
    expect(sessions.find([old.cookie], old.key)).toBeNull();
    expect(sessions.find([fresh.cookie], old.key)).toBeNull();
    expect(sessions.find([old.cookie], fresh.key)).toBeNull();
    expect(sessions.find([fresh.cookie], fresh.key)?.id).toBe(session.id);
  });

  it('an answer that was lost on the way costs nothing', () => {
    const { session, credentials: old } = sessions.begin('a');
    at += DAY;
    const lost = sessions.renew(session.id, old.key)!;
    at += DAY;
    expect(sessions.find([lost.cookie], old.key)).not.toBeNull();
    const second = sessions.renew(session.id, old.key)!;
    expect(sessions.find([lost.cookie], lost.key)).toBeNull();
    expect(sessions.find([second.cookie], second.key)).not.toBeNull();
  });

  it('keeps a hundred at the most, those used last', () => {
    const first = sessions.begin('first');
    for (let count = 0; count < 100; count += 1) {
      at += 1;
      sessions.begin('later');
    }
    expect(sessions.list()).toHaveLength(100);
    expect(sessions.find([first.credentials.cookie], first.credentials.key)).toBeNull();
  });
});

describe('S7 codes of login links', () => {
  it('are good once, for ten minutes, and only those that were made', () => {
    const codes = createLoginCodes({ now: () => at });
    const [first, second, third] = [codes.make(), codes.make(), codes.make()];
    expect([codes.use(first.code), codes.use(first.code)]).toEqual([true, false]);
    expect(codes.use('')).toBe(false);
    expect(codes.use('x'.repeat(32))).toBe(false);
    at += 10 * MINUTE - 1;
    expect(codes.use(second.code)).toBe(true);
    at += 1;
    expect(codes.use(third.code)).toBe(false);
  });

  it('a rotated token takes them along, and many make the oldest go', () => {
    const codes = createLoginCodes({ now: () => at });
    const early = codes.make().code;
    for (let count = 0; count < 50; count += 1) codes.make();
    expect(codes.use(early)).toBe(false);
    const late = codes.make().code;
    codes.forgetAll();
    expect(codes.use(late)).toBe(false);
  });
});
