import { randomBytes } from 'node:crypto';
import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { createAllowedHosts, normalHost, type AllowedHost, type AllowedHosts } from './allowed-hosts.ts';
import {
  createApprovalRows,
  refusal,
  type Approval,
  type ApprovalPage,
  type ApprovalRows,
  type ApprovalStatus,
  type Decider,
  type Lookup,
  type StoredApproval,
} from './approval.ts';
import { createNews } from './news.ts';
import { openQuestion, type OpenQuestion } from './open-question.ts';
import { lookupOf, requireSameCall } from './same-call.ts';
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
  /** Of the tool's definition: a yes to it is none to another definition of the same name. */
  definitionSha256: string;
  args: Readonly<Record<string, unknown>>;
  /** The same with secrets masked: what is stored and shown. */
  redactedArgs: JsonValue;
  caller: string;
  /** The conversation that it belongs to. */
  sessionId: string | null;
  /** Other sites whose content was read before in the conversation: a yes that was given without knowing of them does not count. */
  readFrom: readonly string[] | null;
  /** What was allowed before does not cover it. */
  onceOnly?: boolean;
  /** Why a person is asked, in a sentence for them. */
  reason: string;
  /** The approval the caller comes back with. */
  approvalId?: string | undefined;
}

/** A call whose host was named by an argument. */
interface HostQuestion extends CallQuestion {
  host: string;
}

/** A call of a tool whose connector has changed since it was accepted; `definitionSha256` is the connector's. */
type ChangeQuestion = CallQuestion;

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
  /** Asks about a call that waits for the answer, here as well as where it runs. An answer that is given here is used up by then. */
  put(question: CallQuestion, onDecided: (approved: boolean) => void): OpenQuestion;
  /** May this connector talk to this host? A yes is remembered. */
  hostCheck(question: HostQuestion): Verdict;
  /** Puts a change of a connector to a person. A yes accepts it, so that nothing asks any more. */
  changeCheck(question: ChangeQuestion): Verdict;
  /** A page of them, the newest first unless it says otherwise. */
  list(page?: ApprovalPage): Approval[];
  /** One of them, whatever has become of it. */
  find(id: string): Approval | null;
  /** What has become of questions, by their ids; those that are forgotten by now are left out. */
  statuses(ids: readonly string[]): ReadonlyMap<string, ApprovalStatus>;
  /** How many wait for a person. */
  countPending(): number;
  /** The answer: a person's, unless a client gave it. What `standing` allows comes on top of the call that was asked about. */
  decide(id: string, decision: Decision, by?: Decider): Approval;
  /** Whoever asked does not need the answer any more; a yes that comes later must not be used by something else. */
  withdraw(id: string): void;
  /** Allows later calls of a tool without a question that waits; always within a limit. */
  allow(
    tool: Pick<CallQuestion, 'toolId' | 'connectorId' | 'definitionSha256'>,
    limits: StandingLimits,
  ): StandingApproval;
  /** `definitionOf` answers the hash of a tool as it is now; those that were given for another one are over. */
  listStanding(definitionOf: (toolId: string) => string | null): StandingApproval[];
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
  /** A person has accepted a change; throws when the connector is another one by now, and then nothing is decided. */
  onChangeAccepted?: (connectorId: string, definitionSha256: string) => void;
  now?: () => Date;
  random?: (bytes: number) => Buffer;
}

/** A question waits this long for a person, and their yes this long for the call. */
const LIFETIME_MS = 10 * 60_000;
const KEEP_CLOSED_MS = 30 * 24 * 60 * 60_000;
/** More than a person would read. One caller leaves room for the others. */
const MAX_PENDING = 200;
const MAX_PENDING_OF_CALLER = 20;

/** A person's yes or no to calls and hosts. Whatever uses up an approval does so in one transaction. */
export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { db, now = () => new Date(), random = randomBytes, onChangeAccepted = () => undefined } = deps;
  const rows = createApprovalRows(db);
  const standing = createStandingApprovals(db);
  const hosts = createAllowedHosts(db);
  const news = createNews(db);
  const awaited = new Set<string>();
  const newId = (prefix: string): string => `${prefix}_${random(8).toString('hex')}`;

  const current = (): ApprovalRows => {
    rows.expire(now());
    return rows;
  };

  /** A yes that is there already is used up, a no is thrown; where there is neither, `otherwise` decides. */
  const settle = <N>(question: CallQuestion, otherwise: (lookup: Lookup, at: Date) => N): Verdict | N => {
    const at = now();
    rows.expire(at);
    const lookup = lookupOf('call', question, null);
    return news.commit(() => {
      const approval = named(rows, lookup, question.approvalId) ?? rows.find(lookup, 'approved')?.approval ?? null;
      if (approval?.status === 'approved' && rows.use(approval.id)) return { allowed: true, by: 'approval' };
      if (question.onceOnly !== true && standing.consume(question, at)) return { allowed: true, by: 'standing' };
      return approval === null ? otherwise(lookup, at) : { allowed: false, approval };
    });
  };

  /** A yes to these is remembered elsewhere, so whoever asks again is asked about something else, or it was taken back. */
  const askUnlessWaiting = (lookup: Lookup, question: CallQuestion): Verdict => {
    const at = now();
    rows.expire(at);
    return news.commit(() => {
      const approval = named(rows, lookup, question.approvalId);
      return approval?.status === 'pending'
        ? { allowed: false, approval }
        : ask({ rows, news, newId }, lookup, question, at);
    });
  };

  const hostCheck = (question: HostQuestion): Verdict =>
    hosts.has(question.connectorId, question.host)
      ? { allowed: true, by: 'approval' }
      : askUnlessWaiting(lookupOf('host', question, normalHost(question.host)), question);

  return {
    check: (question) => settle(question, (lookup, at) => ask({ rows, news, newId }, lookup, question, at)),
    covers: (question) => settle(question, () => null)?.allowed === true,
    put: (question, onDecided) => {
      const put = { rows, news, newId, at: now(), lookup: lookupOf('call', question, null), awaited };
      return openQuestion({ rows, news, now, awaited }, putQuestion(put, question), onDecided);
    },
    hostCheck,
    changeCheck: (question) => askUnlessWaiting(lookupOf('change', question, null), question),
    list: (page = {}) => current().list(page),
    find: (id) => current().get(id)?.approval ?? null,
    statuses: (ids) => (ids.length === 0 ? new Map() : current().statuses(ids)),
    countPending: () => current().countPending('').total,
    decide: (id, decision, by = 'person') => {
      const approval = decide({ db, rows, standing, hosts, newId, onChangeAccepted }, id, { ...decision, by }, now());
      news.tell(approval);
      return approval;
    },
    allow: ({ toolId: tool_id, connectorId: connector_id, definitionSha256 }, limits) =>
      standing.add({
        ...{ tool_id, connector_id, definitionSha256, read_from: null },
        ...startOf(newId('sta'), limits, now()),
      }),
    withdraw: (id) => withdraw({ rows, news }, id),
    forgetSession: (sessionId) => standing.forgetSession(sessionId),
    listen: (listener) => news.listen(listener),
    listStanding: (definitionOf) => standing.list(now(), definitionOf),
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
  onChangeAccepted: NonNullable<ApprovalsDeps['onChangeAccepted']>;
}

type Asking = Pick<Books, 'rows' | 'newId'> & { news: ReturnType<typeof createNews> };

function withdraw({ rows, news }: Pick<Asking, 'rows' | 'news'>, id: string): void {
  rows.withdraw(id);
  const approval = rows.get(id)?.approval;
  if (approval !== undefined) news.tell(approval);
}

/** The question a caller comes back with; null when it was another question of the same call. */
function named(rows: ApprovalRows, lookup: Lookup, approvalId: string | undefined): Approval | null {
  if (approvalId === undefined) return null;
  const found = rows.get(approvalId);
  if (found === null) throw new ForgeError('approval_expired', `There is no approval ${approvalId}.`);
  const { approval } = found;
  if (approval.kind !== lookup.kind) return null;
  // After a change of a change, the person is asked about what it is now.
  if (lookup.kind === 'change' && found.definitionSha256 !== lookup.definitionSha256) return null;
  // A call may name several hosts, and each is a question of its own.
  if (lookup.kind === 'host' && (approval.host !== lookup.host || approval.connector_id !== lookup.connector_id))
    return null;
  if (lookup.kind === 'call') requireSameCall(lookup, found);
  if (approval.status === 'pending' || approval.status === 'approved') return approval;
  throw refusal(approval);
}

/** Puts a question to a person, unless the same one waits already. */
function ask(asking: Asking, lookup: Lookup, question: CallQuestion, at: Date): Verdict {
  const approval = asking.rows.find(lookup, 'pending')?.approval ?? insertQuestion(asking, lookup, question, at);
  return { allowed: false, approval };
}

/** Puts the question of a call that waits. One that a call could not wait for is put again, so that the person reads it once. */
function putQuestion(
  { awaited, lookup, at, ...asking }: Asking & { awaited: ReadonlySet<string>; lookup: Lookup; at: Date },
  question: CallQuestion,
): Approval {
  asking.rows.expire(at);
  return asking.news.commit(() => {
    const left = asking.rows.find(lookup, 'pending')?.approval;
    return left === undefined || awaited.has(left.id) ? insertQuestion(asking, lookup, question, at) : left;
  });
}

function insertQuestion(
  { rows, news, newId }: Asking,
  lookup: Lookup,
  { redactedArgs: args, reason }: CallQuestion,
  at: Date,
): Approval {
  requireRoom(rows.countPending(lookup.caller));
  rows.forgetBefore(new Date(at.getTime() - KEEP_CLOSED_MS));
  const { argsSha256, definitionSha256, ...about } = lookup;
  const approval: Approval = {
    ...about,
    id: newId('apr'),
    args,
    reason,
    status: 'pending',
    created_at: at.toISOString(),
    expires_at: laterThan(at),
    decided_at: null,
    decided_by: null,
  };
  rows.insert(approval, { argsSha256, definitionSha256 });
  news.add(approval);
  return approval;
}

/** A person who is asked too much at once answers nothing well. */
function requireRoom({ total, own }: { total: number; own: number }): void {
  if (total < MAX_PENDING && own < MAX_PENDING_OF_CALLER) return;
  const whose = own >= MAX_PENDING_OF_CALLER ? `${own} questions of this caller` : `${total} questions`;
  throw new ForgeError('too_many_approvals', `${whose} wait for a person already, so this one was not put.`);
}

function decide(books: Books, id: string, answer: Decision & { by: Decider }, at: Date): Approval {
  const { decision, standing: limits, by } = answer;
  const { db, rows, standing, hosts, newId, onChangeAccepted } = books;
  rows.expire(at);
  return transaction(db, () => {
    const found = rows.get(id);
    const { approval, definitionSha256 } = requirePending(found, id);
    if (limits !== undefined) {
      if (decision === 'deny' || approval.kind !== 'call') {
        throw new ForgeError('invalid_request', 'A standing approval goes only with a yes to a call.');
      }
      const { tool_id, connector_id, session_id, read_from } = approval;
      if (limits.session_id !== undefined && limits.session_id !== session_id)
        throw new ForgeError('invalid_request', 'The call that was asked about belongs to another conversation.');
      if (read_from !== null && limits.session_id === undefined)
        throw new ForgeError('invalid_request', 'Content of other sites may have led to this call.', {
          hint: 'Say yes to it once, or for its conversation (session_id).',
        });
      standing.add({
        ...{ tool_id, connector_id, read_from, definitionSha256 },
        ...startOf(newId('sta'), limits, at),
      });
    }
    if (decision === 'approve' && approval.kind === 'change') onChangeAccepted(approval.connector_id, definitionSha256);
    if (decision === 'approve' && approval.host !== null) hosts.add(approval.connector_id, approval.host, at);
    const status = decision === 'approve' ? 'approved' : 'denied';
    rows.decide(id, { status, by, at, expiresAt: new Date(laterThan(at)) });
    return rows.get(id)?.approval ?? approval;
  });
}

/** What a new standing approval begins with. */
function startOf(id: string, limits: StandingLimits, at: Date) {
  return { id, created_at: at.toISOString(), ...readLimits(limits, at) };
}

function requirePending(found: StoredApproval | null, id: string): StoredApproval {
  if (found === null) {
    throw new ForgeError('not_found', `There is no approval ${id}.`, { hint: 'GET /api/approvals lists them.' });
  }
  const { approval } = found;
  if (approval.status === 'pending') return found;
  if (approval.status === 'expired') throw refusal(approval);
  throw new ForgeError('conflict', `Approval ${id} has been decided already: it is ${approval.status}.`);
}

function laterThan(at: Date): string {
  return new Date(at.getTime() + LIFETIME_MS).toISOString();
}
