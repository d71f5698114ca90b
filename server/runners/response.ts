import type { ForgeError } from '../../shared/errors.ts';

/** What came back over HTTP, decoded from its transfer and content encodings, otherwise as sent. */
export interface HttpResponse {
  kind: 'http';
  method: string;
  url: string;
  status: number;
  statusText: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Where a redirect that was not followed pointed. */
  redirectedTo: string | null;
}

/** What a program printed and how it ended. */
export interface ShellResponse {
  kind: 'shell';
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Bytes that were dropped from the front because the output was too long; the tail is kept. */
  droppedBytes: number;
}

/** What a script in a tab returned, as the JSON text it came as. */
export interface BrowserResponse {
  kind: 'browser';
  /** Where the tab was in the end. */
  url: string;
  text: string;
  /** Milliseconds per step, as the browser measured them. */
  timings: Record<string, number>;
}

/** What a terminal on another computer printed, without its control sequences, and how it went once somebody was logged in. */
export interface SshResponse {
  kind: 'ssh';
  output: string;
  /** Bytes that were dropped from the front because the output was too long; the tail is kept. */
  droppedBytes: number;
  captured: Record<string, string>;
  failure: ForgeError | null;
}

/** Raw, from upstream; the result stage makes a result of it. */
export type Response = HttpResponse | ShellResponse | BrowserResponse | SshResponse;

/** How much it holds, in bytes or characters. */
export function responseSize(response: Response): number {
  switch (response.kind) {
    case 'http':
      return response.body.length;
    case 'shell':
      return response.stdout.length + response.stderr.length;
    case 'browser':
      return response.text.length;
    case 'ssh':
      return response.output.length;
  }
}
