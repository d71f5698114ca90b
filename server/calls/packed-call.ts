import type { CallColumns } from './call.ts';

/**
 * A call as bytes. Calls wait for their batch as such: outside of JavaScript's heap, where the collector would copy them along, and
 * ready to be handed to a thread.
 */
export type PackedCall = Buffer;

const FIELDS = 12;
const SLAB_BYTES = 256 * 1024;
const MAX_CHAR_BYTES = 3;

/** Where the next calls go. One piece of memory for many of them is made and given back more quickly than many pieces. */
let slab = Buffer.alloc(0);
let used = 0;

/** Each column and a zero byte, which no column has in it; one that may be null begins with a sign when it is not. */
export function packCall(columns: CallColumns): PackedCall {
  const { args, at, caller, code, connector_id, duration_ms, id, message, outcome, stages, tool_id, trace } = columns;
  const [codeField, messageField] = [optional(code), optional(message)];
  return bytesOf(
    `${id}\0${at}\0${caller}\0${tool_id}\0${connector_id}\0${outcome}\0${codeField}\0${messageField}\0${duration_ms}\0${args}\0${stages}\0${trace}\0`,
  );
}

function bytesOf(text: string): Buffer {
  const most = text.length * MAX_CHAR_BYTES;
  if (most > SLAB_BYTES) return Buffer.from(text);
  if (used + most > slab.length) [slab, used] = [Buffer.allocUnsafeSlow(SLAB_BYTES), 0];
  const start = used;
  used += slab.write(text, start);
  return slab.subarray(start, used);
}

/** A batch in one piece, with memory of its own that can be given away. */
export function joinCalls(batch: readonly PackedCall[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(batch.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const call of batch) {
    joined.set(call, end);
    end += call.length;
  }
  return joined;
}

export function unpackCalls(bytes: Uint8Array): CallColumns[] {
  const fields = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString().split('\0');
  const calls: CallColumns[] = [];
  for (let from = 0; from + FIELDS < fields.length; from += FIELDS) calls.push(columnsAt(fields, from));
  return calls;
}

function columnsAt(fields: readonly string[], from: number): CallColumns {
  const field = (index: number): string => fields[from + index] ?? '';
  return {
    id: field(0),
    at: field(1),
    caller: field(2),
    tool_id: field(3),
    connector_id: field(4),
    outcome: field(5),
    code: given(field(6)),
    message: given(field(7)),
    duration_ms: Number(field(8)),
    args: field(9),
    stages: field(10),
    trace: field(11),
  };
}

function optional(text: string | null): string {
  return text === null ? '' : `=${text}`;
}

function given(text: string): string | null {
  return text === '' ? null : text.slice(1);
}
