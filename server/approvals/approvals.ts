import { hash, randomBytes } from 'node:crypto';
import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { createAllowedHosts, normalHost, type AllowedHost, type AllowedHosts } from './allowed-hosts.ts';
import {
  createApprovalRows,
  refusal,
  type Approval,
  type ApprovalRows,
  type ApprovalStatus,
  type Lookup,
} from './approval.ts';
import { canonicalJson } from './canonical-json.ts';
import { createNews } from './news.ts';
import {
  createStandingApprovals,
  readLimits,
  type StandingApproval,
  type StandingApprovals,
  type StandingLimits,
} from './standing.ts';

/** A call that wants to know whether it may run. */
export interface CallQuestion {
  toolId: string;
  connectorId: string;
  args: Readonly<Record<string, unknown>>;
  /** The same with secrets masked: what is stored and shown. */
  redactedArgs: JsonValue;
  caller: string;
  /** The conversation that it belongs to. */
  sessionId: string | null;
  /** Other sites whose content was read before in the conversation: a yes that was given without knowing of them does not count. */
  readFrom: readonly string[] | null;
  /** Why a person is asked, in a sentence for them. */
  reason: string;
  /** The approval the caller comes back with. */
  approvalId?: string | undefined;
}

/** A call whose host was named by an argument. */
interface HostQuestion extends CallQuestion {
  host: string;
}

export type Verdict = { allowed: true; by: 'approval' | 'standing' } | { allowed: false; approval: Approval };

interface Decision {
  decision: 'approve' | 'deny';
  standing?: StandingLimits | undefined;
}

export interface Approvals {
  /** May this tool run with these arguments? A yes is used up by the answer. */
  check(question: CallQuestion): Verdict;
  /** The same without asking anybody: for calls that are asked about where they run. */
  covers(question: CallQuestion): boolean;
  /** May this connector talk to this host? A yes is remembered. */
  hostCheck(question: HostQuestion): Verdict;
  list(filter?: { status?: ApprovalStatus | undefined; sessionId?: string | undefined }): Approval[];
  /** A person's answer. What `standing` allows comes on top of the call that was asked about. */
  decide(id: string, decision: Decision): Approval;
  /** Whoever asked does not need the answer any more; a yes that comes later must not be used by something else. */
  withdraw(id: string): void;
  /** Allows later calls of a tool without a question that waits; always within a limit. */
  allow(tool: Pick<CallQuestion, 'toolId' | 'connectorId'>, limits: StandingLimits): StandingApproval;
  listStanding(): StandingApproval[];
  removeStanding(id: string): void;
  listHosts(connectorId: string): AllowedHost[];
  removeHost(connectorId: string, host: string): void;
  /** A conversation is gone, and what was allowed in it. */
  forgetSession(sessionId: string): void;
  /** Told when a person is asked, and when they have answered. */
  listen(listener: (approval: Approval) => void): () => void;
  /** Another connector under the same id must not inherit what was allowed to this one. */
  forgetConnector(connectorId: string): void;
}

interface ApprovalsDeps {
  db: Database;
  now?: () => Date;
  random?: (bytes: number) => Buffer;
}

/** A question waits this long for a person, and their yes this long for the call. */
const LIFETIME_MS = 10 * 60_000;
const KEEP_CLOSED_MS = 30 * 24 * 60 * 60_000;

/** A person's yes or no to calls and hosts. Whatever uses up an approval does so in one transaction. */
export function createApprovals({ db, now = () => new Date(), random = randomBytes }: ApprovalsDeps): Approvals {
  const rows = createApprovalRows(db);
  const standing = createStandingApprovals(db);
  const hosts = createAllowedHosts(db);
  const news = createNews(db);
  const newId = (prefix: string): string => `${prefix}_${random(8).toString('hex')}`;

  /** The question a caller comes back with; null when it was another question of the same call. */
  const named = (lookup: Lookup, approvalId: string | undefined): Approval | null => {
    if (approvalId === undefined) return null;
    const found = rows.get(approvalId);
    if (found === null) throw new ForgeError('approval_expired', `There is no approval ${approvalId}.`);
    const { approval, argsSha256 } = found;
    if (approval.kind !== lookup.kind) return null;
    // A call may name several hosts, and each is a question of its own.
    if (lookup.kind === 'host' && (approval.host !== lookup.host || approval.connector_id !== lookup.connector_id))
      return null;
    if (lookup.kind === 'call') requireSameCall(lookup, approval, argsSha256);
    if (approval.status === 'pending' || approval.status === 'approved') return approval;
    throw refusal(approval);
  };

  /** A yes that is there already is used up, a no is thrown; where there is neither, `otherwise` decides. */
  const settle = <N>(question: CallQuestion, otherwise: (lookup: Lookup, at: Date) => N): Verdict | N => {
    const at = now();
    rows.expire(at);
    const lookup = lookupOf('call', question, null);
    return news.commit(() => {
      const approval = named(lookup, question.approvalId) ?? rows.find(lookup, 'approved')?.approval ?? null;
      if (approval?.status === 'approved' && rows.use(approval.id)) return { allowed: true, by: 'approval' };
      if (standing.consume(question, at)) return { allowed: true, by: 'standing' };
      return approval === null ? otherwise(lookup, at) : { allowed: false, approval };
    });
  };

  const hostCheck = (question: HostQuestion): Verdict => {
    if (hosts.has(question.connectorId, question.host)) return { allowed: true, by: 'approval' };
    const at = now();
    rows.expire(at);
    const lookup = lookupOf('host', question, normalHost(question.host));
    return news.commit(() => {
      const approval = named(lookup, question.approvalId);
      // An approved host that is no longer on the list was taken back, so a person is asked again.
      return approval?.status === 'pending'
        ? { allowed: false, approval }
        : ask({ rows, news, newId }, lookup, question, at);
    });
  };

  return {
    check: (question) => settle(question, (lookup, at) => ask({ rows, news, newId }, lookup, question, at)),
    covers: (question) => settle(question, () => null)?.allowed === true,
    hostCheck,
    list: ({ status, sessionId } = {}) => {
      rows.expire(now());
      return rows.list(status ?? null, sessionId ?? null);
    },
    decide: (id, decision) => {
      const approval = decide({ db, rows, standing, hosts, newId }, id, decision, now());
      news.tell(approval);
      return approval;
    },
    allow: ({ toolId: tool_id, connectorId: connector_id }, limits) =>
      standing.add({ tool_id, connector_id, read_from: null, ...startOf(newId('sta'), limits, now()) }),
    withdraw: (id) => {
      rows.withdraw(id);
      const approval = rows.get(id)?.approval;
      if (approval !== undefined) news.tell(approval);
    },
    forgetSession: (sessionId) => standing.forgetSession(sessionId),
    listen: (listener) => news.listen(listener),
    listStanding: () => standing.list(now()),
    removeStanding: (id) => standing.remove(id),
    listHosts: (connectorId) => hosts.list(connectorId),
    removeHost: (connectorId, host) => hosts.remove(connectorId, host),
    forgetConnector: (connectorId) => {
      transaction(db, () => {
        standing.forgetConnector(connectorId);
        hosts.forgetConnector(connectorId);
      });
    },
  };
}

interface Books {
  db: Database;
  rows: ApprovalRows;
  standing: StandingApprovals;
  hosts: AllowedHosts;
  newId: (prefix: string) => string;
}

type Asking = Pick<Books, 'rows' | 'newId'> & { news: ReturnType<typeof createNews> };

/** Puts a question to a person, unless the same one waits already. */
function ask(
  { rows, news, newId }: Asking,
  lookup: Lookup,
  { redactedArgs: args, reason }: CallQuestion,
  at: Date,
): Verdict {
  const waiting = rows.find(lookup, 'pending');
  if (waiting !== null) return { allowed: false, approval: waiting.approval };
  rows.forgetBefore(new Date(at.getTime() - KEEP_CLOSED_MS));
  const { argsSha256, ...about } = lookup;
  const approval: Approval = {
    ...about,
    id: newId('apr'),
    args,
    reason,
    status: 'pending',
    created_at: at.toISOString(),
    expires_at: laterThan(at),
    decided_at: null,
  };
  rows.insert(approval, argsSha256);
  news.add(approval);
  return { allowed: false, approval };
}

function decide(books: Books, id: string, { decision, standing: limits }: Decision, at: Date): Approval {
  const { db, rows, standing, hosts, newId } = books;
  rows.expire(at);
  return transaction(db, () => {
    const approval = requirePending(rows.get(id)?.approval, id);
    if (limits !== undefined) {
      if (decision === 'deny' || approval.kind === 'host') {
        throw new ForgeError('invalid_request', 'A standing approval goes only with a yes to a call.');
      }
      const { tool_id, connector_id, session_id, read_from } = approval;
      if (limits.session_id !== undefined && limits.session_id !== session_id)
        throw new ForgeError('invalid_request', 'The call that was asked about belongs to another conversation.');
      if (read_from !== null && limits.session_id === undefined)
        throw new ForgeError('invalid_request', 'Content of other sites may have led to this call.', {
          hint: 'Say yes to it once, or for its conversation (session_id).',
        });
      standing.add({ tool_id, connector_id, read_from, ...startOf(newId('sta'), limits, at) });
    }
    if (decision === 'approve' && approval.host !== null) hosts.add(approval.connector_id, approval.host, at);
    rows.decide(id, decision === 'approve' ? 'approved' : 'denied', at, new Date(laterThan(at)));
    return rows.get(id)?.approval ?? approval;
  });
}

/** What a new standing approval begins with. */
function startOf(id: string, limits: StandingLimits, at: Date) {
  return { id, created_at: at.toISOString(), ...readLimits(limits, at) };
}

function requirePending(approval: Approval | undefined, id: string): Approval {
  if (approval === undefined) {
    throw new ForgeError('not_found', `There is no approval ${id}.`, { hint: 'GET /api/approvals lists them.' });
  }
  if (approval.status === 'pending') return approval;
  if (approval.status === 'expired') throw refusal(approval);
  throw new ForgeError('conflict', `Approval ${id} has been decided already: it is ${approval.status}.`);
}

function lookupOf(kind: Approval['kind'], question: CallQuestion, host: string | null): Lookup {
  const { toolId: tool_id, connectorId: connector_id, caller, sessionId: session_id } = question;
  const read_from = question.readFrom === null ? null : question.readFrom.toSorted();
  const argsSha256 = hash('sha256', canonicalJson(question.args), 'hex');
  return { kind, tool_id, connector_id, caller, host, session_id, read_from, argsSha256 };
}

/** A yes is good for the very call it was asked about. */
function requireSameCall(lookup: Lookup, approval: Approval, argsSha256: string): void {
  const isSameTool = approval.tool_id === lookup.tool_id && approval.connector_id === lookup.connector_id;
  if (isSameTool && argsSha256 === lookup.argsSha256) return;
  const other = isSameTool ? 'other arguments' : 'another tool';
  throw new ForgeError('approval_denied', `Approval ${approval.id} was given for ${other}.`, {
    hint: 'Repeat the call without the approval’s id to ask a person about this one.',
  });
}

function laterThan(at: Date): string {
  return new Date(at.getTime() + LIFETIME_MS).toISOString();
}
