import { isDeeperThan, type JsonValue } from '../../shared/json.ts';
import type { Row } from '../store/sqlite.ts';

/**
 * How a call ended. `started` is one that runs, and `interrupted` one that ran when Forge ended without warning: nobody knows whether it took
 * effect.
 */
export type CallOutcome = 'started' | 'ok' | 'error' | 'interrupted';

/** A row that tells of the log itself: what was pruned, which days have passed. */
export const NOTE = 'note';

/** Deeper than anybody's arguments, and shallow enough for whatever writes a call as JSON again. */
const MAX_DEPTH = 400;
export const NOT_KEPT = '[not kept]';

/** True for a value that the log leaves out. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(value, MAX_DEPTH);
}

/** JSON that somebody has written as text already, with its odd characters escaped as `JSON.stringify` does it. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/**
 * One call as the pipeline reports it. Everything in it is redacted, at the latest when it is read; nobody changes it afterwards.
 * It is read when it is written, off the path of the call, so that costly parts may be getters.
 */
export interface CallEntry {
  id: string;
  /** When the call began. */
  at: Date;
  caller: string;
  toolId: string;
  connectorId: string;
  args: JsonValue | JsonText;
  outcome: CallOutcome;
  /** Null when all went well. */
  code: string | null;
  message: string | null;
  durationMs: number;
  /** How long each stage took. */
  stages: JsonValue | JsonText;
  /** The expanded request with secrets masked, and the head of the response. */
  trace: JsonValue | JsonText;
  /** It holds on to more memory than may wait for others. */
  isLarge?: boolean;
}

/** A call as it stands in the log; what the API shows. */
export interface Call {
  seq: number;
  id: string;
  at: string;
  caller: string;
  tool_id: string;
  connector_id: string;
  args: JsonValue;
  outcome: CallOutcome;
  code: string | null;
  message: string | null;
  duration_ms: number;
  stages: JsonValue;
  trace: JsonValue;
  prev_hash: string;
  hash: string;
}

/** The columns of a row that its hash covers, besides its number. */
export interface CallColumns {
  args: string;
  at: string;
  caller: string;
  code: string | null;
  connector_id: string;
  duration_ms: number;
  id: string;
  message: string | null;
  outcome: string;
  stages: string;
  tool_id: string;
  trace: string;
}

/** An entry as columns: exactly the texts that will be read back, since they are hashed. */
export function columnsOf(entry: CallEntry): CallColumns {
  return {
    args: jsonText(() => entry.args),
    at: timeText(entry.at),
    caller: storable(entry.caller),
    code: entry.code === null ? null : storable(entry.code),
    connector_id: storable(entry.connectorId),
    duration_ms: Number.isFinite(entry.durationMs) ? Math.max(0, Math.round(entry.durationMs)) : 0,
    id: storable(entry.id),
    message: messageOf(entry),
    outcome: entry.outcome,
    stages: jsonText(() => entry.stages),
    tool_id: storable(entry.toolId),
    trace: jsonText(() => entry.trace),
  };
}

/** Columns as the database has them, unread: a row that somebody changed must not stop whoever looks for changes. */
export function columnsOfRow(row: Row): CallColumns {
  return {
    args: String(row['args']),
    at: String(row['at']),
    caller: String(row['caller']),
    code: textOrNull(row['code']),
    connector_id: String(row['connector_id']),
    duration_ms: Number(row['duration_ms']),
    id: String(row['id']),
    message: textOrNull(row['message']),
    outcome: String(row['outcome']),
    stages: String(row['stages']),
    tool_id: String(row['tool_id']),
    trace: String(row['trace']),
  };
}

export function callOfRow(row: Row): Call {
  const columns = columnsOfRow(row);
  return {
    seq: Number(row['seq']),
    id: columns.id,
    at: columns.at,
    caller: columns.caller,
    tool_id: columns.tool_id,
    connector_id: columns.connector_id,
    args: readJson(columns.args),
    // The table's check allows only these words.
    outcome: columns.outcome as CallOutcome,
    code: columns.code,
    message: columns.message,
    duration_ms: columns.duration_ms,
    stages: readJson(columns.stages),
    trace: readJson(columns.trace),
    prev_hash: String(row['prev_hash']),
    hash: String(row['hash']),
  };
}

/** Forge writes nothing else; what somebody put in its place is shown as it stands. */
function readJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue; // JSON.parse returns nothing else
  } catch {
    return text;
  }
}

function textOrNull(value: Row[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** The second that was written last: calls come in numbers, and most of them share theirs with the one before. */
let second = { at: Number.NaN, text: '' };

function timeText(at: Date): string {
  const time = at.getTime();
  if (Number.isNaN(time)) return new Date(0).toISOString();
  const start = time - (((time % 1000) + 1000) % 1000);
  if (second.at !== start) second = { at: start, text: new Date(start).toISOString().slice(0, -4) };
  return `${second.text}${String(time - start).padStart(3, '0')}Z`;
}

/** SQLite's text is UTF-8 without zero bytes. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** A part that cannot be read must not keep the whole call out of the log, nor the calls behind it. */
function jsonText(read: () => JsonValue | JsonText): string {
  try {
    const value = read();
    if (value instanceof JsonText) return value.json;
    if (isTooDeep(value)) return JSON.stringify(NOT_KEPT);
    // Inside a list even a value that JSON leaves out becomes a text.
    return JSON.stringify([value]).slice(1, -1);
  } catch {
    return JSON.stringify(NOT_KEPT);
  }
}

function messageOf(entry: CallEntry): string | null {
  try {
    const { message } = entry;
    return message === null ? null : storable(message);
  } catch {
    return NOT_KEPT;
  }
}
