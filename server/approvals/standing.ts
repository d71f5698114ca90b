import { ForgeError } from '../../shared/errors.ts';
import { isRecord, ownValue } from '../../shared/json.ts';
import type { Database, Row } from '../store/sqlite.ts';
import { sitesText } from './approval.ts';
import { canonicalJson } from './canonical-json.ts';

/** An argument's name and the value it must have, or a list of the values it may have. */
type Conditions = Record<string, unknown>;

/** What a person may add to a yes: from now on, within these limits, do not ask. */
export interface StandingLimits {
  conditions?: Conditions | undefined;
  /** How many later calls it covers. */
  max_uses?: number | undefined;
  /** ISO 8601. */
  until?: string | undefined;
  /** Only calls of this conversation. */
  session_id?: string | undefined;
}

/** A yes that holds for later calls of one tool too; what the API shows. */
export interface StandingApproval {
  id: string;
  tool_id: string;
  connector_id: string;
  conditions: Conditions;
  /** Null for no limit. */
  remaining: number | null;
  until: string | null;
  /** The conversation whose calls it covers; null for all calls. */
  session_id: string | null;
  /** The other sites a person knew of when they said yes; null for a call that none of them could have led to. */
  read_from: string[] | null;
  created_at: string;
  used: number;
  /** False once it is used up, its time is over, or the tool is another one. */
  active: boolean;
}

/** A standing approval with what it is bound to: the definition the tool had when it was given. */
export interface BoundStanding extends StandingApproval {
  /** Null for one that was given before definitions were kept; it covers nothing. */
  definitionSha256: string | null;
}

/** A call that a standing approval may cover. */
export interface CoveredCall {
  toolId: string;
  /** Of the tool's definition. */
  definitionSha256: string;
  args: Readonly<Record<string, unknown>>;
  sessionId: string | null;
  readFrom: readonly string[] | null;
}

export type StandingApprovals = ReturnType<typeof createStandingApprovals>;

/** The database side of standing approvals, and the rules for when one covers a call. */
export function createStandingApprovals(db: Database) {
  const byTool = db.prepare('SELECT * FROM standing_approvals WHERE tool_id = ? ORDER BY created_at, id');
  const take = db.prepare(
    `UPDATE standing_approvals SET used = used + 1, remaining = remaining - 1
     WHERE id = ? AND (remaining IS NULL OR remaining > 0)`,
  );
  return {
    /** Uses up one call of the first standing approval that covers it. Only inside a transaction. */
    consume(call: CoveredCall, now: Date): boolean {
      const covering = byTool
        .all(call.toolId)
        .map((row) => fromRow(row, now))
        .find(
          (standing) =>
            standing.active &&
            standing.definitionSha256 === call.definitionSha256 &&
            isMeant(standing, call) &&
            covers(standing.conditions, call.args),
        );
      return covering !== undefined && Number(take.run(covering.id).changes) === 1;
    },
    add({ definitionSha256, ...standing }: Omit<BoundStanding, 'used' | 'active'>): StandingApproval {
      db.prepare(
        `INSERT INTO standing_approvals (id, tool_id, connector_id, conditions, remaining, until, created_at,
           session_id, read_from, definition_sha256, used)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
      ).run(
        ...[standing.id, standing.tool_id, standing.connector_id, JSON.stringify(standing.conditions)],
        ...[standing.remaining, standing.until, standing.created_at, standing.session_id],
        ...[sitesText(standing.read_from), definitionSha256],
      );
      return { ...standing, used: 0, active: true };
    },
    /** `definitionOf` answers the hash of a tool as it is now, or null where there is none. */
    list(now: Date, definitionOf: (toolId: string) => string | null): StandingApproval[] {
      const rows = db.prepare('SELECT * FROM standing_approvals ORDER BY created_at DESC, id').all();
      return rows.map((row) => {
        const { definitionSha256, ...standing } = fromRow(row, now);
        const isSame = definitionSha256 !== null && definitionSha256 === definitionOf(standing.tool_id);
        return { ...standing, active: standing.active && isSame };
      });
    },
    remove(id: string): void {
      const { changes } = db.prepare('DELETE FROM standing_approvals WHERE id = ?').run(id);
      if (Number(changes) === 0) throw new ForgeError('not_found', `There is no standing approval ${id}.`);
    },
    forgetSession: (sessionId: string): void =>
      void db.prepare('DELETE FROM standing_approvals WHERE session_id = ?').run(sessionId),
    forgetConnector: (connectorId: string): void =>
      void db.prepare('DELETE FROM standing_approvals WHERE connector_id = ?').run(connectorId),
  };
}

/** Checks what a person asked for: never without an end, and a limit that could never hold is told rather than saved. */
export function readLimits(
  limits: StandingLimits,
  now: Date,
): Pick<StandingApproval, 'conditions' | 'remaining' | 'until' | 'session_id'> {
  const { conditions = {}, max_uses: maxUses = null, until = null, session_id = null } = limits;
  if (maxUses === null && until === null && session_id === null) {
    throw invalid('say for how many calls (max_uses), until when (until) or in which conversation (session_id)');
  }
  if (!isRecord(conditions)) throw invalid('conditions must name arguments and their values');
  if (maxUses !== null && (!Number.isSafeInteger(maxUses) || maxUses < 1)) {
    throw invalid('max_uses must be a whole number from 1');
  }
  const end = until === null ? null : new Date(until);
  if (end !== null && Number.isNaN(end.getTime())) throw invalid('until is not a date such as 2026-01-31T12:00:00Z');
  if (end !== null && end <= now) throw invalid('until has already passed');
  return { conditions, remaining: maxUses, until: end?.toISOString() ?? null, session_id };
}

/** Where content of other sites may have led to the call, only a yes of this conversation counts that was given knowing of them all. */
function isMeant(standing: StandingApproval, { sessionId, readFrom }: CoveredCall): boolean {
  if (standing.session_id !== null && standing.session_id !== sessionId) return false;
  if (readFrom === null) return true;
  // A pattern stands for sites that nobody could know of.
  const isKnown = (site: string): boolean => !site.includes('*') && standing.read_from?.includes(site) === true;
  return standing.session_id !== null && readFrom.every(isKnown);
}

/** Every condition must hold; an argument that is left out has no value that could match. */
function covers(conditions: Conditions, args: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(conditions).every(([name, condition]) => {
    const given = ownValue(args, name);
    if (given === undefined) return false;
    const text = canonicalJson(given);
    const allowed: unknown[] = Array.isArray(condition) ? condition : [condition];
    return allowed.some((value) => canonicalJson(value) === text);
  });
}

function invalid(problem: string): ForgeError {
  return new ForgeError('invalid_request', `The standing approval cannot be kept: ${problem}.`);
}

function fromRow(row: Row, now: Date): BoundStanding {
  const remaining = row['remaining'] === null ? null : Number(row['remaining']);
  const until = row['until'] === null ? null : String(row['until']);
  return {
    id: String(row['id']),
    tool_id: String(row['tool_id']),
    connector_id: String(row['connector_id']),
    // Written by `add` above, checked as JSON by the database.
    conditions: JSON.parse(String(row['conditions'])) as Conditions,
    remaining,
    until,
    session_id: row['session_id'] === null ? null : String(row['session_id']),
    read_from: row['read_from'] === null ? null : (JSON.parse(String(row['read_from'])) as string[]),
    created_at: String(row['created_at']),
    used: Number(row['used']),
    definitionSha256: row['definition_sha256'] === null ? null : String(row['definition_sha256']),
    active: remaining !== 0 && (until === null || until > now.toISOString()),
  };
}
