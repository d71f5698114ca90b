import { randomBytes } from 'node:crypto';
import type { EventBus } from '../events/event-bus.ts';
import type { Database, Row } from '../store/sqlite.ts';
import type { Reason, Watch } from './watch.ts';

type ReportKind = 'done' | 'failed' | 'parked';

/** Something a watch has to say to a person, once. */
export interface Report {
  seq: number;
  id: string;
  watchId: string;
  toolId: string;
  sessionId: string | null;
  kind: ReportKind;
  reason: Reason;
  /** As the manifest words it; no model can change it. */
  text: string;
  /** What a model says about it; null where none has spoken. */
  words: string | null;
  /** `pending`: a model may still put it into its own words. */
  state: 'pending' | 'ready';
  createdAt: number;
}

interface ReportsDeps {
  db: Database;
  events: EventBus;
  now: () => number;
  /** Whether somebody puts this one into words before it goes out. */
  isPutIntoWords: (report: Omit<Report, 'seq' | 'state' | 'words'>) => boolean;
  /** The ways by which a report leaves Forge besides its conversation. */
  channelsFor: (report: Report) => readonly string[];
  /** There is something to put into words or to deliver, once it is committed. */
  onAdded: () => void;
  /** It goes out now; inside the transaction. */
  onReady: (report: Report) => void;
}

export type Reports = ReturnType<typeof createReports>;

/**
 * What watches have to say. A report is written in the transaction of the change it tells of, and its `about` is unique: neither a crash
 * nor anything else can lose one or make two of it.
 */
export function createReports({ db, events, now, isPutIntoWords, channelsFor, onAdded, onReady }: ReportsDeps) {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO reports (id, about, watch_id, tool_id, session_id, kind, reason, text, state, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const bySeq = db.prepare('SELECT * FROM reports WHERE seq = ?');
  const byWatch = db.prepare('SELECT * FROM reports WHERE watch_id = ? ORDER BY seq');
  const bySession = db.prepare(
    `SELECT * FROM reports WHERE (?1 IS NULL OR session_id = ?1) AND state = 'ready' AND seq > ?2
     ORDER BY seq LIMIT 500`,
  );
  const pending = db.prepare(`SELECT seq FROM reports WHERE state = 'pending' ORDER BY seq`);
  const markReady = db.prepare(`UPDATE reports SET state = 'ready', words = ? WHERE seq = ? AND state = 'pending'`);
  const deliver = db.prepare(
    `INSERT OR IGNORE INTO report_deliveries (report_seq, channel, state, attempts, next_at) VALUES (?, ?, 'waiting', 0, ?)`,
  );
  // Those of a conversation are a part of it, and stay as long as it does.
  const forget = db.prepare('DELETE FROM reports WHERE session_id IS NULL AND created_at < ?');
  const get = (seq: number): Report | null => {
    const row = bySeq.get(seq);
    return row === undefined ? null : fromRow(row);
  };

  const release = (report: Report): void => {
    onAdded();
    const { id: report_id, kind, text, words, watchId: watch_id, toolId: tool_id, sessionId: session_id } = report;
    for (const channel of channelsFor(report)) deliver.run(report.seq, channel, now());
    onReady(report);
    events.append({ type: 'report.added', report_id, kind, text, words, watch_id, tool_id, session_id });
  };

  return {
    /** Inside a transaction. `about` says what it tells of; the same is told once per run of a watch. */
    add(watch: Watch, kind: ReportKind, about: string, reason: Reason, text: string): void {
      const { id: watchId, toolId, sessionId, run } = watch;
      const draft = {
        ...{ id: `rep_${randomBytes(8).toString('hex')}`, watchId, toolId, sessionId },
        ...{ kind, reason, text, createdAt: now() },
      };
      const state = isPutIntoWords(draft) ? 'pending' : 'ready';
      if (state === 'pending') onAdded();
      const { changes, lastInsertRowid } = insert.run(
        ...[
          draft.id,
          `${watchId} ${run} ${about}`,
          watchId,
          toolId,
          sessionId,
          kind,
          JSON.stringify(reason),
          text,
          state,
        ],
        draft.createdAt,
      );
      if (Number(changes) === 1 && state === 'ready')
        release({ ...draft, words: null, state, seq: Number(lastInsertRowid) });
    },
    /** Inside a transaction: the report goes out, with a model's words beside its own where there are any. */
    release(seq: number, words: string | null): void {
      if (Number(markReady.run(words, seq).changes) !== 1) return;
      const report = get(seq);
      if (report !== null) release(report);
    },
    get,
    pending: (): number[] => pending.all().map((row) => Number(row['seq'])),
    ofWatch: (watchId: string): Report[] => byWatch.all(watchId).map(fromRow),
    /** Those of a conversation, or all, that can be read, from an earlier one on. */
    ofSession: (sessionId: string | null, after = 0): Report[] => bySession.all(sessionId, after).map(fromRow),
    leaveSession: (sessionId: string): void =>
      void db.prepare('UPDATE reports SET session_id = NULL WHERE session_id = ?').run(sessionId),
    forgetBefore: (time: number): void => void forget.run(time),
  };
}

function fromRow(row: Row): Report {
  return {
    seq: Number(row['seq']),
    id: String(row['id']),
    watchId: String(row['watch_id']),
    toolId: String(row['tool_id']),
    sessionId: row['session_id'] === null ? null : String(row['session_id']),
    // The table's checks allow only these words, and only `add` above writes the JSON.
    kind: String(row['kind']) as ReportKind,
    reason: JSON.parse(String(row['reason'])) as Reason,
    text: String(row['text']),
    words: row['words'] === null ? null : String(row['words']),
    state: String(row['state']) as Report['state'],
    createdAt: Number(row['created_at']),
  };
}
