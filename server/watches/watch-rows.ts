import type { Database, Row } from '../store/sqlite.ts';
import { ACTIVE_STATES, watchOfRow, type Watch } from './watch.ts';

/** What changes while a watch lives. */
export type WatchChange = Partial<
  Pick<
    Watch,
    | 'state'
    | 'run'
    | 'startedAt'
    | 'deadlineAt'
    | 'nextAt'
    | 'pollCount'
    | 'errorCount'
    | 'awayCount'
    | 'told'
    | 'reason'
    | 'progress'
    | 'lastPoll'
    | 'action'
    | 'endedAt'
  >
>;

export interface WatchFilter {
  sessionId?: string | undefined;
  activeOnly?: boolean | undefined;
  limit: number;
}

const ACTIVE = `state IN (${ACTIVE_STATES.map((state) => `'${state}'`).join(', ')})`;

export type WatchRows = ReturnType<typeof createWatchRows>;

/** The database side of watches. Whoever changes one holds the transaction. */
export function createWatchRows(db: Database) {
  const byId = db.prepare('SELECT * FROM watches WHERE id = ?');
  const insert = db.prepare(
    `INSERT INTO watches (id, tool_id, poll_tool, connector_id, session_id, parent_id, depth, call_id, caller, plan, state, run,
       started_at, deadline_at, next_at, poll_count, error_count, away_count, told, reason, progress, last_poll, action,
       created_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    `UPDATE watches SET state = ?, run = ?, started_at = ?, deadline_at = ?, next_at = ?, poll_count = ?, error_count = ?,
       away_count = ?, told = ?, reason = ?, progress = ?, last_poll = ?, action = ?, ended_at = ? WHERE id = ?`,
  );
  const active = db.prepare(`SELECT id, next_at FROM watches WHERE ${ACTIVE}`);
  const countActive = db.prepare(`SELECT count(*) AS count FROM watches WHERE ${ACTIVE} AND id IS NOT ?`);
  const children = db.prepare('SELECT id FROM watches WHERE parent_id = ? AND created_at >= ? LIMIT 1');
  const list = db.prepare(
    `SELECT * FROM watches WHERE (?1 IS NULL OR session_id = ?1) AND (?2 = 0 OR ${ACTIVE})
     ORDER BY created_at DESC, rowid DESC LIMIT ?3`,
  );
  const forget = db.prepare('DELETE FROM watches WHERE ended_at < ?');
  const one = (row: Row | undefined): Watch | null => (row === undefined ? null : watchOfRow(row));

  return {
    get: (id: string): Watch | null => one(byId.get(id)),
    list: ({ sessionId, activeOnly = false, limit }: WatchFilter): Watch[] =>
      list.all(sessionId ?? null, Number(activeOnly), limit).map(watchOfRow),
    /** Which are to be looked at, and when. */
    active: (): { id: string; nextAt: number }[] =>
      active.all().map((row) => ({ id: String(row['id']), nextAt: Number(row['next_at'] ?? 0) })),
    countActive: (except: string | null = null): number => Number(countActive.get(except)?.['count']),
    /** Whether the tool that this watch has run has left a watch of its own. */
    hasChild: (id: string, since: number): boolean => children.get(id, since) !== undefined,
    insert(w: Watch): void {
      insert.run(
        ...[w.id, w.toolId, w.pollTool, w.connectorId, w.sessionId, w.parentId, w.depth, w.callId, w.caller],
        ...[JSON.stringify(w.plan), w.state, w.run, w.startedAt, w.deadlineAt, w.nextAt, w.pollCount, w.errorCount],
        ...[w.awayCount, JSON.stringify(w.told), jsonOrNull(w.reason), w.progress, JSON.stringify(w.lastPoll)],
        ...[jsonOrNull(w.action), w.createdAt, w.endedAt],
      );
    },
    /** Answers the watch as it is then. */
    change(watch: Watch, change: WatchChange): Watch {
      const w = { ...watch, ...change };
      update.run(
        ...[w.state, w.run, w.startedAt, w.deadlineAt, w.nextAt, w.pollCount, w.errorCount, w.awayCount],
        ...[JSON.stringify(w.told), jsonOrNull(w.reason), w.progress, JSON.stringify(w.lastPoll)],
        ...[jsonOrNull(w.action), w.endedAt, w.id],
      );
      return w;
    },
    /** What the watch reads from now on comes from this site as well. */
    hasRead(watch: Watch, site: string): Watch {
      const { readFrom } = watch.plan;
      if (readFrom === undefined || readFrom.own.includes(site)) return watch;
      const plan = { ...watch.plan, readFrom: { ...readFrom, own: [...readFrom.own, site] } };
      db.prepare('UPDATE watches SET plan = ? WHERE id = ?').run(JSON.stringify(plan), watch.id);
      return { ...watch, plan };
    },
    leaveSession: (sessionId: string): void =>
      void db.prepare('UPDATE watches SET session_id = NULL WHERE session_id = ?').run(sessionId),
    /** Removes watches that ended before a time, with their polls. */
    forgetBefore: (time: number): number => Number(forget.run(time).changes),
  };
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
