import type { Response } from './response.ts';

/** A request that is ready to be sent: every template is filled in. */
export interface HttpRequest {
  protocol: 'http';
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  timeoutMs: number;
  verifyTls: boolean;
  /** Response headers that are handed back with the result. */
  captureHeaders: readonly string[];
  /** False for a request whose redirects are an error: a credential must not travel on. */
  followRedirects: boolean;
  /** Who named the host. Addresses of this computer and of private networks are only for hosts a person named. */
  hostFrom: 'manifest' | 'person';
}

/** A program with its arguments; no shell is involved. */
export interface Command {
  protocol: 'shell';
  argv: readonly string[];
  env: Record<string, string>;
  cwd: string | null;
  timeoutMs: number;
}

/** What the expand stage makes of a call, one kind per protocol. */
export type Job = HttpRequest | Command;

/** What a runner gets besides the job. */
export interface RunContext {
  /** Ends the work: the caller went away, or the deadline passed. */
  signal: AbortSignal;
  /** Output as it comes, for callers that show it. */
  onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** Carries out jobs of one protocol. Failures it foresees are ForgeErrors with a code for the caller. */
export interface Runner<J extends Job> {
  run(job: J, context: RunContext): Promise<Response>;
}
