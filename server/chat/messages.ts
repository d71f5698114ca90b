import { randomBytes } from 'node:crypto';
import type { ChatFilePart, ChatMessage, ChatPart, MessageStatus } from '../../shared/chat-api.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Database, Row } from '../store/sqlite.ts';

/** A file keeps the text that the model reads, since files themselves are removed after a while. */
export type StoredPart = Exclude<ChatPart, ChatFilePart> | (ChatFilePart & { content: string | null });

/** What is kept of a message besides its parts. */
export type About = Pick<ChatMessage, 'model' | 'error' | 'warnings' | 'report' | 'usage' | 'cost_usd'> & {
  /** Of a report: where what it says comes from. */
  site: string | null;
};

export interface Message extends Pick<ChatMessage, 'id' | 'seq' | 'role' | 'status' | 'task_id' | 'created_at'> {
  sessionId: string;
  ended_at: string | null;
  about: About;
  parts: StoredPart[];
}

export interface NewMessage {
  sessionId: string;
  role: Message['role'];
  status: MessageStatus;
  taskId?: string;
  parts?: readonly StoredPart[];
  about?: Partial<About>;
}

const NOTHING: About = {
  ...{ model: null, error: null, warnings: [], report: null, usage: null, cost_usd: null, site: null },
};

/** A part of a conversation, up to its end or to the message of a seq. */
export interface MessagePage {
  limit: number;
  before: number | null;
}

export type Messages = ReturnType<typeof createMessages>;

/** The messages and their parts. Whoever changes one does it inside a transaction, with the event that tells of it. */
export function createMessages(db: Database, now: () => Date) {
  const insert = db.prepare(
    `INSERT INTO messages (id, session_id, role, status, task_id, report_id, about, created_at, ended_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (report_id) DO NOTHING`,
  );
  const byId = db.prepare('SELECT * FROM messages WHERE id = ?');
  const bySession = db.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY seq');
  const page = db.prepare('SELECT * FROM messages WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?');
  const sites = db.prepare(
    `SELECT seq, -1 AS place, json_extract(about, '$.site') AS site FROM messages WHERE session_id = ?1 AND site IS NOT NULL
     UNION ALL
     SELECT seq, place, json_extract(part, '$.site') AS site FROM messages JOIN message_parts ON message_seq = seq
     WHERE session_id = ?1 AND site IS NOT NULL AND json_extract(part, '$.type') = 'tool'
     ORDER BY 1, 2`,
  );
  const unended = db.prepare(`SELECT * FROM messages WHERE status IN ('queued', 'running') ORDER BY seq`);
  const partsOf = db.prepare('SELECT part FROM message_parts WHERE message_seq = ? ORDER BY place');
  const partsOfSession = db.prepare(
    `SELECT message_seq, part FROM message_parts
     WHERE message_seq IN (SELECT seq FROM messages WHERE session_id = ?) ORDER BY message_seq, place`,
  );
  const put = db.prepare(
    `INSERT INTO message_parts (message_seq, place, part) VALUES (?, ?, ?)
     ON CONFLICT (message_seq, place) DO UPDATE SET part = excluded.part`,
  );
  const setStatus = db.prepare('UPDATE messages SET status = ? WHERE seq = ?');
  const end = db.prepare('UPDATE messages SET status = ?, about = ?, ended_at = ? WHERE seq = ?');
  const remove = db.prepare('DELETE FROM messages WHERE seq = ?');
  const putPart = (seq: number, place: number, part: StoredPart): void =>
    void put.run(seq, place, JSON.stringify(part));
  const whole = (row: Row): Message => fromRow(row, partsOf.all(Number(row['seq'])).map(partOf));

  return {
    /** Null for a report that is there already. */
    add({ sessionId, role, status, taskId, parts = [], about = {} }: NewMessage): Message | null {
      const id = `msg_${randomBytes(8).toString('hex')}`;
      const at = now().toISOString();
      const { changes, lastInsertRowid } = insert.run(
        ...[id, sessionId, role, status, taskId ?? null, about.report?.id ?? null],
        ...[JSON.stringify({ ...NOTHING, ...about }), at, status === 'ok' ? at : null],
      );
      if (Number(changes) === 0) return null;
      for (const [place, part] of parts.entries()) putPart(Number(lastInsertRowid), place, part);
      const row = byId.get(id);
      return row === undefined ? null : whole(row);
    },
    require(sessionId: string, id: string): Message {
      const row = byId.get(id);
      if (row === undefined || row['session_id'] !== sessionId)
        throw new ForgeError(
          'not_found',
          `there is no message ${JSON.stringify(id.slice(0, 80))} in this conversation`,
        );
      return whole(row);
    },
    list(sessionId: string): Message[] {
      const parts = new Map<number, StoredPart[]>();
      for (const row of partsOfSession.all(sessionId)) {
        const seq = Number(row['message_seq']);
        parts.set(seq, [...(parts.get(seq) ?? []), partOf(row)]);
      }
      return bySession.all(sessionId).map((row) => fromRow(row, parts.get(Number(row['seq'])) ?? []));
    },
    /** Some of them, in order. */
    page: (sessionId: string, { limit, before }: MessagePage): Message[] =>
      page
        .all(sessionId, before ?? Number.MAX_SAFE_INTEGER, limit)
        .toReversed()
        .map(whole),
    /** The sites that they have content of, as they came. */
    sites: (sessionId: string): string[] => [...new Set(sites.all(sessionId).map(({ site }) => String(site)))],
    /** Those that are being written; after a start, those that nobody writes any more. */
    unended: (): Message[] => unended.all().map(whole),
    putPart,
    setStatus: ({ seq }: Message, status: MessageStatus): void => void setStatus.run(status, seq),
    end: ({ seq }: Message, status: MessageStatus, about: About): void =>
      void end.run(status, JSON.stringify(about), now().toISOString(), seq),
    remove: ({ seq }: Message): void => void remove.run(seq),
  };
}

/** What the API shows of a message. */
export function messageView({ sessionId, about, parts, ...message }: Message): ChatMessage {
  const { site: _site, ...shown } = about;
  return { ...message, session_id: sessionId, ...shown, parts: parts.map(shownPart) };
}

function shownPart(part: StoredPart): ChatPart {
  if (part.type !== 'file') return part;
  const { content: _content, ...shown } = part;
  return shown;
}

/** Only `putPart` and `add` above write these. */
function partOf(row: Row): StoredPart {
  return JSON.parse(String(row['part'])) as StoredPart;
}

function fromRow(row: Row, parts: StoredPart[]): Message {
  return {
    id: String(row['id']),
    sessionId: String(row['session_id']),
    seq: Number(row['seq']),
    // The table checks both.
    role: String(row['role']) as Message['role'],
    status: String(row['status']) as MessageStatus,
    task_id: row['task_id'] === null ? null : String(row['task_id']),
    created_at: String(row['created_at']),
    ended_at: row['ended_at'] === null ? null : String(row['ended_at']),
    about: JSON.parse(String(row['about'])) as About, // written by `add` and `end` above
    parts,
  };
}
