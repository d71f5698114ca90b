import type { Readable } from 'node:stream';
import type { ForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Identity } from './peer.ts';

/** An HTTP answer, in the shape that Forge's routes use. */
export interface McpReply {
  status?: number;
  json?: string;
  body?: Readable | string;
  headers?: Record<string, string>;
}

/** A request to the endpoint: who it comes from has been settled, and what it says has been read as JSON. */
export interface McpRequest {
  body: unknown;
  header: (name: string) => string;
  identity: Identity;
  /** Connectors whose tools the client wants one by one. */
  connectors: readonly string[];
  /** Aborted when the client goes away before it has its answer. */
  signal: () => StopSignal;
}

/** Says what went wrong: the error as it is, and its JSON without anything secret. */
export type Tell = (failure: unknown) => { error: ForgeError; json: string };

export const EVENT_STREAM = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

/** Taken, and nothing to say to it. */
export const ACCEPTED: McpReply = { status: 202, body: '' };

/** One server-sent event; JSON text has no line break in it. */
export function event(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}

/** A comment that keeps a silent stream open, and how often it is sent. */
export const STILL_HERE = ': still here\n\n';
export const KEEP_ALIVE_MS = 25_000;
