import type { JsonObject, JsonValue } from '../../shared/json.ts';
import type { Row } from '../store/sqlite.ts';
import type { CallerLimits } from '../tools/caller-limits.ts';
import type { Guards } from './guards.ts';

/**
 * `polling`: asks again and again. `parked`: does so too, but the thing it asks is away. `acting`: runs the tool that its end chains.
 * The rest is how it ended.
 */
export type WatchState = 'polling' | 'parked' | 'acting' | 'done' | 'failed' | 'cancelled';

/** Why a watch is where it is: a word for programs and a sentence for people. */
export interface Reason {
  code: string;
  message: string;
}

/** What happens at the end, as the manifest says; templates in it are filled then. */
export type Ending =
  | { mode: 'chat'; message: string | null }
  | { mode: 'tool'; message: string | null; tool: string; args: JsonObject }
  | { mode: 'none' };

/** One way in which a poll's result means that it is done. */
export type DoneTest = { kind: 'path'; path: string } | { kind: 'match'; path: string; equals: string };

/** What was decided once, when the watch began. Nothing in it is secret: it is kept in the database. */
export interface WatchPlan extends Guards {
  /** How people call what is watched. */
  title: string;
  pollArgs: JsonObject;
  /** Either of them will do. */
  done: DoneTest[];
  failPath: string | null;
  onDone: Ending;
  onFail: Ending;
  /** The template of the chip; null where none is shown. */
  progress: string | null;
  /** The values of the start call that templates still need. */
  scope: { args: JsonObject; result: JsonValue; settings: JsonObject };
  /** What the caller may call, so that its watch may call no more. */
  limits: CallerLimits | null;
  browser: string | null;
  /** Sites whose content may lead to what the watch calls: those of its conversation, and those it has read itself. Older watches do not say. */
  readFrom?: { before: string[]; own: string[] };
}

/**
 * The tool that the end of a watch runs. `running` is written before it runs: if Forge is killed meanwhile, nobody knows whether
 * it has, and it is not run again.
 */
export interface Action {
  toolId: string;
  args: JsonObject;
  status: 'planned' | 'waiting' | 'running' | 'ended';
  approvalId: string | null;
  /** How the watch itself has ended, and what there is to say once the tool has run; null says nothing. */
  outcome: 'done' | 'failed';
  why: Reason;
  text: string | null;
}

export interface Watch {
  id: string;
  toolId: string;
  pollTool: string;
  connectorId: string;
  sessionId: string | null;
  parentId: string | null;
  depth: number;
  callId: string;
  caller: string;
  plan: WatchPlan;
  state: WatchState;
  /** Counts how often a person has begun it again. */
  run: number;
  startedAt: number;
  deadlineAt: number;
  /** When it is looked at next; null when it has ended. */
  nextAt: number | null;
  pollCount: number;
  /** Failed polls in a row, and polls in a row that found the other side away. */
  errorCount: number;
  awayCount: number;
  /** What the person was told of since it is away, so that they hear it once. */
  told: string[];
  reason: Reason | null;
  progress: string | null;
  lastPoll: JsonValue;
  action: Action | null;
  createdAt: number;
  endedAt: number | null;
}

export const ACTIVE_STATES = ['polling', 'parked', 'acting'] as const satisfies readonly WatchState[];

export function isActive({ state }: Pick<Watch, 'state'>): boolean {
  return ACTIVE_STATES.some((active) => active === state);
}

export function isPolling({ state }: Pick<Watch, 'state'>): boolean {
  return state === 'polling' || state === 'parked';
}

export function watchOfRow(row: Row): Watch {
  const text = (name: string) => String(row[name]);
  const textOrNull = (name: string) => (row[name] === null ? null : text(name));
  const timeOrNull = (name: string) => (row[name] === null ? null : Number(row[name]));
  const json = (name: string): unknown => JSON.parse(textOrNull(name) ?? 'null');
  // Only watch-rows.ts writes these columns, and the table's checks allow nothing but JSON and the words of WatchState.
  return {
    id: text('id'),
    toolId: text('tool_id'),
    pollTool: text('poll_tool'),
    connectorId: text('connector_id'),
    sessionId: textOrNull('session_id'),
    parentId: textOrNull('parent_id'),
    depth: Number(row['depth']),
    callId: text('call_id'),
    caller: text('caller'),
    plan: json('plan') as WatchPlan,
    state: text('state') as WatchState,
    run: Number(row['run']),
    startedAt: Number(row['started_at']),
    deadlineAt: Number(row['deadline_at']),
    nextAt: timeOrNull('next_at'),
    pollCount: Number(row['poll_count']),
    errorCount: Number(row['error_count']),
    awayCount: Number(row['away_count']),
    told: json('told') as string[],
    reason: json('reason') as Reason | null,
    progress: textOrNull('progress'),
    lastPoll: json('last_poll') as JsonValue,
    action: json('action') as Action | null,
    createdAt: Number(row['created_at']),
    endedAt: timeOrNull('ended_at'),
  };
}
