import type { JsonValue } from '../../shared/json.ts';
import { clipText } from '../results/cut-text.ts';
import type { Database } from '../store/sqlite.ts';

export type PollOutcome = 'going' | 'done' | 'failed' | 'away' | 'error';

/** One poll as people see it later. */
export interface Poll {
  run: number;
  at: number;
  outcome: PollOutcome;
  code: string | null;
  message: string | null;
  /** The beginning of its result, as JSON text. */
  result: string | null;
  durationMs: number;
  callId: string | null;
}

const MAX_RESULT_CHARS = 2000;
const MAX_MESSAGE_CHARS = 500;
const KEPT_POLLS = 200;

export type PollRows = ReturnType<typeof createPollRows>;

/** What came of each poll, the latest of them. Results and messages have been redacted before. */
export function createPollRows(db: Database) {
  const insert = db.prepare(
    `INSERT INTO watch_polls (watch_id, run, at, outcome, code, message, result, duration_ms, call_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const trim = db.prepare(
    `DELETE FROM watch_polls WHERE watch_id = ?1 AND seq <=
       (SELECT seq FROM watch_polls WHERE watch_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT_POLLS})`,
  );
  const list = db.prepare('SELECT * FROM watch_polls WHERE watch_id = ? ORDER BY seq DESC');
  return {
    add(watchId: string, p: Poll): void {
      const message = p.message === null ? null : clipText(storable(p.message), MAX_MESSAGE_CHARS);
      const result = p.result === null ? null : clipText(storable(p.result), MAX_RESULT_CHARS);
      insert.run(watchId, p.run, p.at, p.outcome, p.code, message, result, Math.round(p.durationMs), p.callId);
      trim.run(watchId);
    },
    /** The latest first. */
    list: (watchId: string): Poll[] =>
      list.all(watchId).map((row) => ({
        run: Number(row['run']),
        at: Number(row['at']),
        outcome: String(row['outcome']) as PollOutcome, // the table's check allows only these words
        code: row['code'] === null ? null : String(row['code']),
        message: row['message'] === null ? null : String(row['message']),
        result: row['result'] === null ? null : String(row['result']),
        durationMs: Number(row['duration_ms']),
        callId: row['call_id'] === null ? null : String(row['call_id']),
      })),
  };
}

/** SQLite's text is UTF-8 without zero bytes. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

const MAX_LEVELS = 200;

/** A value as a row can keep it: SQLite reads no JSON that is nested very deeply. */
export function keepable(value: JsonValue): JsonValue {
  return isShallow(value, MAX_LEVELS) ? value : '[nested too deeply to be kept]';
}

function isShallow(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item: JsonValue) => isShallow(item, levels - 1));
}
