import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { Database, Row } from '../store/sqlite.ts';

type ApprovalKind = 'call' | 'host';
export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'used' | 'expired';

/** A question to a person and the answer; what the API shows. */
export interface Approval {
  id: string;
  /** `call`: may this tool run with these arguments? `host`: may this connector talk to this host? */
  kind: ApprovalKind;
  tool_id: string;
  connector_id: string;
  /** Secrets masked. */
  args: JsonValue;
  host: string | null;
  caller: string;
  reason: string;
  status: ApprovalStatus;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  /** The conversation that the call belongs to. */
  session_id: string | null;
  /** Other sites whose content was read before in the conversation, and may have led to the call; null when that does not matter. */
  read_from: string[] | null;
}

/** An approval with the hash of its real arguments, which nobody needs to see. */
export interface StoredApproval {
  approval: Approval;
  argsSha256: string;
}

/** Which open approval a repeated question finds again. */
export type Lookup = Pick<
  Approval,
  'kind' | 'connector_id' | 'tool_id' | 'caller' | 'host' | 'session_id' | 'read_from'
> & { argsSha256: string };

const OPEN = `status IN ('pending', 'approved')`;

export type ApprovalRows = ReturnType<typeof createApprovalRows>;

/** The database side of approvals. */
export function createApprovalRows(db: Database) {
  const expire = db.prepare(`UPDATE approvals SET status = 'expired' WHERE ${OPEN} AND expires_at <= ?`);
  const forget = db.prepare(`DELETE FROM approvals WHERE NOT ${OPEN} AND created_at < ?`);
  const byId = db.prepare('SELECT * FROM approvals WHERE id = ?');
  const insert = db.prepare(
    `INSERT INTO approvals (id, kind, tool_id, connector_id, args, args_sha256, host, caller, reason, status, created_at, expires_at, decided_at,
       session_id, read_from)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const openCall = db.prepare(
    `SELECT * FROM approvals WHERE kind = 'call' AND tool_id = ? AND args_sha256 = ? AND caller = ? AND session_id IS ?
       AND read_from IS ? AND status = ?
     ORDER BY created_at, id LIMIT 1`,
  );
  const openHost = db.prepare(
    `SELECT * FROM approvals WHERE kind = 'host' AND connector_id = ? AND host = ? AND status = ?
     ORDER BY created_at, id LIMIT 1`,
  );
  return {
    /** Questions nobody answered, and answers nobody used, in time. */
    expire: (now: Date): void => void expire.run(now.toISOString()),
    forgetBefore: (time: Date): void => void forget.run(time.toISOString()),
    get: (id: string): StoredApproval | null => stored(byId.get(id)),
    find(lookup: Lookup, status: 'pending' | 'approved'): StoredApproval | null {
      if (lookup.kind === 'host') return stored(openHost.get(lookup.connector_id, lookup.host, status));
      const { tool_id, argsSha256, caller, session_id, read_from } = lookup;
      return stored(openCall.get(tool_id, argsSha256, caller, session_id, sitesText(read_from), status));
    },
    list(status: ApprovalStatus | null, sessionId: string | null): Approval[] {
      const rows = db
        .prepare(
          `SELECT * FROM approvals WHERE (?1 IS NULL OR status = ?1) AND (?2 IS NULL OR session_id = ?2)
           ORDER BY created_at DESC, id`,
        )
        .all(status, sessionId);
      return rows.map(fromRow);
    },
    insert(a: Approval, argsSha256: string): void {
      insert.run(
        ...[a.id, a.kind, a.tool_id, a.connector_id, JSON.stringify(a.args), argsSha256, a.host, a.caller, a.reason],
        ...[a.status, a.created_at, a.expires_at, a.decided_at, a.session_id, sitesText(a.read_from)],
      );
    },
    /** Moves on from the status the caller has seen; of two that try, one succeeds. */
    use(id: string): boolean {
      const { changes } = db
        .prepare(`UPDATE approvals SET status = 'used' WHERE id = ? AND status = 'approved'`)
        .run(id);
      return Number(changes) === 1;
    },
    withdraw: (id: string): void =>
      void db.prepare(`UPDATE approvals SET status = 'expired' WHERE id = ? AND ${OPEN}`).run(id),
    decide(id: string, status: 'approved' | 'denied', at: Date, expiresAt: Date): void {
      const sql = `UPDATE approvals SET status = ?, decided_at = ?, expires_at = ? WHERE id = ? AND status = 'pending'`;
      db.prepare(sql).run(status, at.toISOString(), expiresAt.toISOString(), id);
    },
  };
}

/** What a caller is told who comes back with an approval that does not let this call through. */
export function refusal({ id, status }: Approval): ForgeError {
  if (status === 'denied') return new ForgeError('approval_denied', `A person denied approval ${id}.`);
  const problem = status === 'used' ? 'has been used; an approval is good for one call' : 'has expired';
  return new ForgeError('approval_expired', `Approval ${id} ${problem}.`);
}

/** The same sites give the same text. */
export function sitesText(sites: readonly string[] | null): string | null {
  return sites === null ? null : JSON.stringify(sites.toSorted());
}

function stored(row: Row | undefined): StoredApproval | null {
  return row === undefined ? null : { approval: fromRow(row), argsSha256: String(row['args_sha256']) };
}

function fromRow(row: Row): Approval {
  return {
    id: String(row['id']),
    // The table's checks allow only these words, and only `insert` above writes the JSON.
    kind: row['kind'] as ApprovalKind,
    tool_id: String(row['tool_id']),
    connector_id: String(row['connector_id']),
    args: JSON.parse(String(row['args'])) as JsonValue,
    host: row['host'] === null ? null : String(row['host']),
    caller: String(row['caller']),
    reason: String(row['reason']),
    status: row['status'] as ApprovalStatus,
    created_at: String(row['created_at']),
    expires_at: String(row['expires_at']),
    decided_at: row['decided_at'] === null ? null : String(row['decided_at']),
    session_id: row['session_id'] === null ? null : String(row['session_id']),
    read_from: row['read_from'] === null ? null : (JSON.parse(String(row['read_from'])) as string[]),
  };
}
