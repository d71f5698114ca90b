import { hash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ForgeError } from '../../../shared/errors.ts';
import type { Database, Row } from '../../store/sqlite.ts';
import { transaction } from '../../store/transaction.ts';
import { createSessionStreams } from './session-streams.ts';

/** A page that somebody is signed in to. */
export interface PageSession {
  id: string;
  userAgent: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

/** What a page proves itself by: the cookie travels to every port of this computer, the key stays with the page's origin. */
export interface Credentials {
  cookie: string;
  key: string;
}

interface SessionsDeps {
  db: Database;
  now?: () => number;
  random?: (size: number) => Buffer;
  /** Told when the time of use could not be written. */
  report?: (failure: unknown) => void;
}

const DAY_MS = 24 * 60 * 60_000;
const UNUSED_MS = 30 * DAY_MS;
/** Credentials are exchanged for new ones when they are this old. */
const RENEW_AFTER_MS = DAY_MS;
/** Requests that other tabs have sent with the old credentials arrive within this time. */
const OVERLAP_MS = 2 * 60_000;
const SEEN_EVERY_MS = 60_000;
const MAX_SESSIONS = 100;
const MAX_USER_AGENT_CHARS = 300;

export const SESSION_SECONDS = UNUSED_MS / 1000;

export type PageSessions = ReturnType<typeof createPageSessions>;

/** The pages that are signed in. Only hashes are stored; whatever ends a session ends its streams. */
export function createPageSessions({ db, now = Date.now, random = randomBytes, report }: SessionsDeps) {
  const sql = statements(db);
  const streams = createSessionStreams();

  const issue = (sessionId: string): Credentials => {
    const made = { cookie: random(32).toString('base64url'), key: random(32).toString('base64url') };
    sql.addPair.run(hashOf(made.cookie), hashOf(made.key), sessionId, now());
    return made;
  };
  const end = (id: string): boolean => {
    const isGone = Number(sql.remove.run(id).changes) > 0;
    streams.end(id);
    return isGone;
  };
  const endUnused = (): void => {
    for (const row of sql.unusedSince.all(now() - UNUSED_MS)) end(String(row['id']));
    for (const row of sql.beyond.all(MAX_SESSIONS - 1)) end(String(row['id']));
  };
  const touch = (session: PageSession): PageSession => {
    if (now() - session.lastUsedAt < SEEN_EVERY_MS) return session;
    try {
      sql.seen.run(now(), session.id);
    } catch (failure) {
      // A full disk is no reason to sign anybody out: only the time is lost.
      report?.(failure);
    }
    return session;
  };

  return {
    begin(userAgent: string): { session: PageSession; credentials: Credentials } {
      return transaction(db, () => {
        endUnused();
        const id = `page_${random(8).toString('hex')}`;
        const at = now();
        const shown = userAgent.slice(0, MAX_USER_AGENT_CHARS);
        sql.add.run(id, shown, at, at);
        return { session: sessionOf(id, shown, at, at), credentials: issue(id) };
      });
    },

    /** The session that one of these cookies and this key belong to. A cookie without its key is worth nothing. */
    find(cookies: readonly string[], key: string): PageSession | null {
      if (key === '') return null;
      const owner = sql.ownerOfKey.get(hashOf(key), now());
      if (owner === undefined) return null;
      const id = String(owner['id']);
      const isPair = cookies.some((cookie) => sql.ownerOfCookie.get(hashOf(cookie), now())?.['session_id'] === id);
      const session = readSession(owner);
      if (!isPair || session.expiresAt <= now()) return null;
      // Whoever uses the newest key has received it, so the older ones can go.
      if (Number(owner['older']) > 0) sql.retire.run(now() + OVERLAP_MS, id, Number(owner['made_at']));
      return touch(session);
    },

    /** New credentials once the present ones are a day old. The old ones stay good until the new ones have been used, so a lost answer costs nothing. */
    renew(id: string, key: string): Credentials | null {
      return transaction(db, () => {
        sql.sweep.run(now());
        const pair = sql.unretired.get(hashOf(key), id);
        if (pair === undefined || now() - Number(pair['made_at']) < RENEW_AFTER_MS) return null;
        // Another tab may be about to receive newer ones; those that nobody has used for a while were lost on the way.
        const newest = Number(sql.newest.get(id)?.['made_at']);
        if (newest > Number(pair['made_at']) && now() - newest < OVERLAP_MS) return null;
        sql.removeNewer.run(id, Number(pair['made_at']));
        return issue(id);
      });
    },

    list: (): PageSession[] => sql.all.all(now() - UNUSED_MS).map(readSession),

    end(id: string): void {
      if (!end(id)) throw new ForgeError('not_found', `there is no signed-in page ${JSON.stringify(id.slice(0, 80))}`);
    },
    endIfOpen: (id: string): void => void end(id),

    endAll(): void {
      sql.removeAll.run();
      streams.endAll();
    },

    /** A stream that ends when its session does. */
    hold(id: string, stream: Readable): void {
      if (sql.exists.get(id) === undefined) stream.destroy();
      else streams.add(id, stream);
    },
  };
}

function statements(db: Database) {
  const session = 's.id, s.user_agent, s.created_at, s.last_used_at';
  return {
    add: db.prepare('INSERT INTO page_sessions (id, user_agent, created_at, last_used_at) VALUES (?, ?, ?, ?)'),
    addPair: db.prepare(
      'INSERT INTO page_session_keys (cookie_hash, key_hash, session_id, made_at) VALUES (?, ?, ?, ?)',
    ),
    ownerOfKey: db.prepare(
      `SELECT ${session}, k.made_at, (SELECT COUNT(*) FROM page_session_keys o
         WHERE o.session_id = k.session_id AND o.ends_at IS NULL AND o.made_at < k.made_at) AS older
       FROM page_session_keys k JOIN page_sessions s ON s.id = k.session_id
       WHERE k.key_hash = ? AND (k.ends_at IS NULL OR k.ends_at > ?)`,
    ),
    ownerOfCookie: db.prepare(
      'SELECT session_id FROM page_session_keys WHERE cookie_hash = ? AND (ends_at IS NULL OR ends_at > ?)',
    ),
    unretired: db.prepare(
      'SELECT made_at FROM page_session_keys WHERE key_hash = ? AND session_id = ? AND ends_at IS NULL',
    ),
    newest: db.prepare('SELECT MAX(made_at) AS made_at FROM page_session_keys WHERE session_id = ?'),
    removeNewer: db.prepare('DELETE FROM page_session_keys WHERE session_id = ? AND made_at > ?'),
    retire: db.prepare(
      'UPDATE page_session_keys SET ends_at = ? WHERE session_id = ? AND ends_at IS NULL AND made_at < ?',
    ),
    sweep: db.prepare('DELETE FROM page_session_keys WHERE ends_at <= ?'),
    seen: db.prepare('UPDATE page_sessions SET last_used_at = ? WHERE id = ?'),
    all: db.prepare(`SELECT ${session} FROM page_sessions s WHERE s.last_used_at > ? ORDER BY s.last_used_at DESC`),
    unusedSince: db.prepare('SELECT id FROM page_sessions WHERE last_used_at <= ?'),
    beyond: db.prepare('SELECT id FROM page_sessions ORDER BY last_used_at DESC LIMIT -1 OFFSET ?'),
    exists: db.prepare('SELECT 1 FROM page_sessions WHERE id = ?'),
    remove: db.prepare('DELETE FROM page_sessions WHERE id = ?'),
    removeAll: db.prepare('DELETE FROM page_sessions'),
  };
}

function readSession(row: Row): PageSession {
  return sessionOf(
    String(row['id']),
    String(row['user_agent']),
    Number(row['created_at']),
    Number(row['last_used_at']),
  );
}

function sessionOf(id: string, userAgent: string, createdAt: number, lastUsedAt: number): PageSession {
  return { id, userAgent, createdAt, lastUsedAt, expiresAt: lastUsedAt + UNUSED_MS };
}

function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
