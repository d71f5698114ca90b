import { randomBytes } from 'node:crypto';
import type { BegunIn, SessionOrigin } from '../../shared/chat-api.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Database, Row } from '../store/sqlite.ts';

/** A conversation as it stands in the database. */
export interface Session {
  id: string;
  /** Empty until somebody has said something. */
  title: string;
  /** provider/model, or empty for the default. */
  model: string;
  origin: SessionOrigin;
  messageCount: number;
  createdAt: string;
  updatedAt: string;
}

export interface SessionFilter {
  limit: number;
  before: string | null;
  search: string | null;
}

const WITH_COUNT = `SELECT sessions.*, (SELECT count(*) FROM messages WHERE session_id = sessions.id) AS message_count,
    EXISTS (SELECT 1 FROM telegram_links WHERE session_id = sessions.id) AS is_on_telegram
  FROM sessions`;

export type Sessions = ReturnType<typeof createSessions>;

/** The conversations' table. */
export function createSessions(db: Database, now: () => Date) {
  const insert = db.prepare(
    'INSERT INTO sessions (id, title, model, origin, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const byId = db.prepare(`${WITH_COUNT} WHERE id = ?`);
  const list = db.prepare(
    `${WITH_COUNT} WHERE (?1 IS NULL OR updated_at < ?1)
       AND (?2 IS NULL OR instr(lower(title), ?2) > 0 OR EXISTS (
         SELECT 1 FROM messages JOIN message_parts ON message_seq = seq
         WHERE session_id = sessions.id AND instr(lower(json_extract(part, '$.text')), ?2) > 0))
     ORDER BY updated_at DESC, id LIMIT ?3`,
  );
  const change = db.prepare('UPDATE sessions SET title = ?, model = ?, updated_at = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM sessions WHERE id = ?');
  const find = (id: string): Session | null => {
    const row = byId.get(id);
    return row === undefined ? null : fromRow(row);
  };

  return {
    find,
    require(id: string): Session {
      const session = find(id);
      if (session === null)
        throw new ForgeError('not_found', `there is no conversation ${JSON.stringify(id.slice(0, 80))}`, {
          hint: 'GET /api/chat/sessions lists them.',
        });
      return session;
    },
    list: ({ limit, before, search }: SessionFilter): Session[] =>
      list.all(before, search === null || search === '' ? null : search.toLowerCase(), limit).map(fromRow),
    add({ title, model, origin }: Pick<Session, 'title' | 'model'> & { origin: BegunIn }): string {
      const id = `sess_${randomBytes(6).toString('hex')}`;
      const at = now().toISOString();
      insert.run(id, title, model, origin, at, at);
      return id;
    },
    /** What is said in a conversation brings it to the top of the list; so does a new title. */
    change({ id, title, model }: Pick<Session, 'id' | 'title' | 'model'>): void {
      change.run(title, model, now().toISOString(), id);
    },
    remove: (id: string): void => void remove.run(id),
  };
}

function fromRow(row: Row): Session {
  return {
    id: String(row['id']),
    title: String(row['title']),
    model: String(row['model']),
    // The table holds nothing but the words of BegunIn.
    origin: row['is_on_telegram'] === 1 ? 'telegram' : (String(row['origin']) as BegunIn),
    messageCount: Number(row['message_count']),
    createdAt: String(row['created_at']),
    updatedAt: String(row['updated_at']),
  };
}
