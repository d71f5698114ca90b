import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { Database, Row } from '../store/sqlite.ts';

type ApprovalKind = 'call' | 'host' | 'change';
/** Who answered: a person in Forge or in the browser, or an MCP client, which may have shown the question to a person or not. */
export type Decider = 'person' | 'client';
export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'used' | 'expired';

/** A question to a person and the answer; what the API shows. */
export interface Approval {
  id: string;
  /**
   * `call`: may this tool run with these arguments? `host`: may this connector talk to this host? `change`: is what has changed in
   * this connector since it was accepted all right?
   */
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
  decided_by: Decider | null;
  /** The conversation that the call belongs to. */
  session_id: string | null;
  /** Other sites whose content was read before in the conversation, and may have led to the call; null when that does not matter. */
  read_from: string[] | null;
}

/** What a yes is bound to besides what is shown of it. */
export interface Bound {
  /** Of the real arguments. */
  argsSha256: string;
  /** Of the tool's definition; for a change, of the connector's. */
  definitionSha256: string;
}

/** An approval with the hashes that nobody needs to see. */
export interface StoredApproval extends Bound {
  approval: Approval;
}

/** Which open approval a repeated question finds again. */
export type Lookup = Pick<
  Approval,
  'kind' | 'connector_id' | 'tool_id' | 'caller' | 'host' | 'session_id' | 'read_from'
> &
  Bound;

/** A part of the list, in order of the questions. */
export interface ApprovalPage {
  status?: ApprovalStatus | undefined;
  sessionId?: string | undefined;
  order?: 'newest' | 'oldest' | undefined;
  limit?: number | undefined;
  /** Continues behind this one. */
  after?: Pick<Approval, 'created_at' | 'id'> | undefined;
}

/** What an answer changes. */
interface Decided {
  status: 'approved' | 'denied';
  by: Decider;
  at: Date;
  expiresAt: Date;
}

const OPEN = `status IN ('pending', 'approved')`;

/** How many are read where nobody says. */
const PAGE = 50;
/** Closed ones beyond so many are forgotten, the oldest first, however young they are. */
const KEEP_CLOSED = 10_000;

export type ApprovalRows = ReturnType<typeof createApprovalRows>;

/** The database side of approvals. */
export function createApprovalRows(db: Database) {
  const expire = db.prepare(`UPDATE approvals SET status = 'expired' WHERE ${OPEN} AND expires_at <= ?`);
  const forget = db.prepare(`DELETE FROM approvals WHERE NOT ${OPEN} AND created_at < ?`);
  const forgetMany = db.prepare(
    `DELETE FROM approvals WHERE NOT ${OPEN} AND created_at <
       (SELECT created_at FROM approvals ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ${KEEP_CLOSED})`,
  );
  const pending = db.prepare(
    `SELECT count(*) AS total, ifnull(sum(caller = ?), 0) AS own FROM approvals WHERE status = 'pending'`,
  );
  const byId = db.prepare('SELECT * FROM approvals WHERE id = ?');
  const insert = db.prepare(
    `INSERT INTO approvals (id, kind, tool_id, connector_id, args, args_sha256, definition_sha256, host, caller, reason, status, created_at, expires_at,
       decided_at, session_id, read_from)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const openCall = db.prepare(
    `SELECT * FROM approvals WHERE kind = 'call' AND tool_id = ? AND args_sha256 = ? AND definition_sha256 = ? AND caller = ? AND session_id IS ?
       AND read_from IS ? AND status = ?
     ORDER BY created_at, id LIMIT 1`,
  );
  const openHost = db.prepare(
    `SELECT * FROM approvals WHERE kind = 'host' AND connector_id = ? AND host = ? AND definition_sha256 = ? AND status = ?
     ORDER BY created_at, id LIMIT 1`,
  );
  const openChange = db.prepare(
    `SELECT * FROM approvals WHERE kind = 'change' AND connector_id = ? AND definition_sha256 = ? AND session_id IS ? AND status = ?
     ORDER BY created_at, id LIMIT 1`,
  );
  return {
    /** Questions nobody answered, and answers nobody used, in time. */
    expire: (now: Date): void => void expire.run(now.toISOString()),
    forgetBefore(time: Date): void {
      forget.run(time.toISOString());
      forgetMany.run();
    },
    /** How many questions wait, and how many of them are this caller's. */
    countPending(caller: string): { total: number; own: number } {
      const row = pending.get(caller);
      return { total: Number(row?.['total']), own: Number(row?.['own']) };
    },
    get: (id: string): StoredApproval | null => stored(byId.get(id)),
    find(lookup: Lookup, status: 'pending' | 'approved'): StoredApproval | null {
      const { kind, tool_id, connector_id, argsSha256, definitionSha256: definition, caller, session_id } = lookup;
      if (kind === 'host') return stored(openHost.get(connector_id, lookup.host, definition, status));
      if (kind === 'change') return stored(openChange.get(connector_id, definition, session_id, status));
      const sites = sitesText(lookup.read_from);
      return stored(openCall.get(tool_id, argsSha256, definition, caller, session_id, sites, status));
    },
    statuses: (ids: readonly string[]): Map<string, ApprovalStatus> => statusesOf(db, ids),
    list: (page: ApprovalPage): Approval[] => listPage(db, page),
    insert(a: Approval, { argsSha256, definitionSha256 }: Bound): void {
      insert.run(
        ...[a.id, a.kind, a.tool_id, a.connector_id, JSON.stringify(a.args), argsSha256, definitionSha256],
        ...[
          a.host,
          a.caller,
          a.reason,
          a.status,
          a.created_at,
          a.expires_at,
          a.decided_at,
          a.session_id,
          sitesText(a.read_from),
        ],
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
    decide(id: string, { status, by, at, expiresAt }: Decided): void {
      const sql = `UPDATE approvals SET status = ?, decided_by = ?, decided_at = ?, expires_at = ? WHERE id = ? AND status = 'pending'`;
      db.prepare(sql).run(status, by, at.toISOString(), expiresAt.toISOString(), id);
    },
  };
}

function statusesOf(db: Database, ids: readonly string[]): Map<string, ApprovalStatus> {
  const rows = db
    .prepare('SELECT id, status FROM approvals WHERE id IN (SELECT value FROM json_each(?))')
    .all(JSON.stringify(ids));
  // The table's check allows only these words.
  return new Map(rows.map(({ id, status }) => [String(id), String(status) as ApprovalStatus]));
}

/** A page of approvals. Only what is asked for stands in the statement, so that an index serves it. */
function listPage(
  db: Database,
  { status, sessionId, order = 'newest', limit = PAGE, after }: ApprovalPage,
): Approval[] {
  const [direction, beyond] = order === 'newest' ? ['DESC', '<'] : ['ASC', '>'];
  const conditions: [sql: string, ...values: string[]][] = [
    ...(status === undefined ? [] : [['status = ?', status] as [string, string]]),
    ...(sessionId === undefined ? [] : [['session_id = ?', sessionId] as [string, string]]),
    ...(after === undefined
      ? []
      : [[`(created_at, id) ${beyond} (?, ?)`, after.created_at, after.id] as [string, string, string]]),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
  return db
    .prepare(`SELECT * FROM approvals ${where} ORDER BY created_at ${direction}, id ${direction} LIMIT ?`)
    .all(...conditions.flatMap(([, ...values]) => values), limit)
    .map(fromRow);
}

/** What a caller is told who comes back with an approval that does not let this call through. */
export function refusal({ id, status, decided_by: by }: Approval): ForgeError {
  if (status === 'denied' && by === 'client') {
    return new ForgeError(
      'approval_denied',
      `The client declined approval ${id}; whether a person saw it is not known.`,
      {
        hint: 'Nothing was done. Ask the person before trying again; some clients decline every question without showing it.',
      },
    );
  }
  if (status === 'denied') return new ForgeError('approval_denied', `A person denied approval ${id}.`);
  const problem = status === 'used' ? 'has been used; an approval is good for one call' : 'has expired';
  return new ForgeError('approval_expired', `Approval ${id} ${problem}.`);
}

/** The same sites give the same text. */
export function sitesText(sites: readonly string[] | null): string | null {
  return sites === null ? null : JSON.stringify(sites.toSorted());
}

function stored(row: Row | undefined): StoredApproval | null {
  if (row === undefined) return null;
  return {
    approval: fromRow(row),
    argsSha256: String(row['args_sha256']),
    definitionSha256: String(row['definition_sha256']),
  };
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
    decided_by: row['decided_by'] as Decider | null,
    session_id: row['session_id'] === null ? null : String(row['session_id']),
    read_from: row['read_from'] === null ? null : (JSON.parse(String(row['read_from'])) as string[]),
  };
}
