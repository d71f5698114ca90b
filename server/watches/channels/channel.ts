import { ForgeError, type ErrorCode } from '../../../shared/errors.ts';
import type { Report } from '../reports.ts';

/** A way for a report to leave Forge, besides the conversation it belongs to. */
export interface Channel {
  name: string;
  /** Whether a report goes this way, as a person has set it up; asked when there is one, and again before it is sent. */
  takes(report: Report): boolean;
  /** Throws when it did not get there; it is tried again after each of these times, and then given up. */
  send(report: Report, signal: AbortSignal): Promise<void>;
  retryMs: readonly number[];
}

/** Why something did not get there, by a service that says when to come again: after this long, or never. */
export class Refusal extends ForgeError {
  readonly againMs: number | null;

  constructor(code: ErrorCode, message: string, againMs: number | null, hint?: string) {
    super(code, message, hint === undefined ? {} : { hint });
    this.againMs = againMs;
  }
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** For others' servers: soon at first, for those that only start again, and in all for most of a day. */
export const SERVER_RETRY_MS: readonly number[] = [
  ...[10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 6 * HOUR, 12 * HOUR],
];
