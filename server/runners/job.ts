import type { Acquire, PageExpected } from '../../shared/bridge.ts';
import type { ForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { Masker } from '../secrets/masker.ts';
import type { Response } from './response.ts';

/** The cookies of a session: which go with a request, and where those go that an answer sets. */
export interface Cookies {
  header(url: URL): string | null;
  take(url: URL, lines: readonly string[]): void;
}

/** A request that is ready to be sent: every template is filled in. */
export interface HttpRequest {
  protocol: 'http';
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** Bytes that are sent in place of the body: files. Never part of what is shown. */
  payload?: Uint8Array;
  timeoutMs: number;
  verifyTls: boolean;
  /** Response headers that are handed back with the result. */
  captureHeaders: readonly string[];
  /** False for a request whose redirects are an error: a credential must not travel on. */
  followRedirects: boolean;
  /** Who named the host. Addresses of this computer and of private networks are only for hosts a person named. */
  hostFrom: 'manifest' | 'person';
  /** Added when it is sent, and for each redirect anew. */
  cookies?: Cookies;
}

/** A program with its arguments; no shell is involved. */
export interface Command {
  protocol: 'shell';
  argv: readonly string[];
  env: Record<string, string>;
  cwd: string | null;
  timeoutMs: number;
}

/** A script for a tab of the person's own browser. No secret is in it: everything here is sent to the browser. */
export interface BrowserJob {
  protocol: 'browser';
  connector: string;
  tool: string;
  /** What the person sees while it runs. */
  title: string;
  acquire: Acquire;
  runner: 'main' | 'isolated';
  /** A pattern of the frame to run in; null is the page itself. */
  frame: string | null;
  script: string;
  /** JSON texts. */
  args: string;
  settings: string;
  timeoutMs: number;
  expect: PageExpected;
  /** Whether it may run, and end, together with other calls of the same tool. */
  mayJoin: boolean;
  /** Where the login is checked before a person is asked: on its page, or on the site where arguments decide which page that is. */
  look: 'page' | 'site';
}

/** A host to log in to, and how. */
export interface SshLogin {
  host: string;
  port: number;
  username: string;
  password: string | null;
  /** PEM, or OpenSSH's own format. */
  privateKey: string | null;
  passphrase: string | null;
  /** As for a request: who named the host. */
  hostFrom: HttpRequest['hostFrom'];
}

/** Lines for a terminal on another computer, and how to read what it prints. Patterns are as the manifest has them. */
export interface SshJob {
  protocol: 'ssh';
  target: SshLogin;
  /** The host the connection goes through. */
  jump: SshLogin | null;
  commands: readonly string[];
  /** Null: each command runs on its own and its exit code counts. */
  promptRegex: string | null;
  autoAnswer: readonly { match: string; send: string }[];
  doneWhen: string | null;
  failWhen: string | null;
  capture: Readonly<Record<string, string>>;
  successOnClose: boolean;
  timeoutMs: number;
}

/** What the expand stage makes of a call, one kind per protocol. */
export type Job = HttpRequest | Command | BrowserJob | SshJob;

/** How long a person's yes holds for later calls: both limits, whichever ends first. */
export interface LongerYes {
  maxUses: number;
  forMs: number;
}

/** A question to the person where the job runs. */
export interface Ask {
  /** Why they have to say yes. */
  reason: string;
  /** They said yes, and that the tool need not ask again for a while; null where a yes is for this call alone. */
  remember: ((yes: LongerYes) => void) | null;
  /** Puts the same question where people answer without that browser; `onDecided` hears what they said there. */
  put: (onDecided: (approved: boolean) => void) => OpenQuestion;
}

/** A question that can be answered in several places. */
export interface OpenQuestion {
  readonly id: string;
  /** It is over: answered in the browser, or null when the call ended without an answer. */
  close: (answer: boolean | null) => void;
  /** The caller gives up waiting, and comes back with the answer. */
  leave: () => void;
  /** The error of a question that an MCP client declined; null when none did. */
  declined: () => ForgeError | null;
}

/** How far the way to a service has got. */
export type RunStage = 'auth' | 'resolve' | 'connect';

/** Masks secrets in what a program or a browser says. */
export type OutputMasker = Pick<Masker, 'redact' | 'redactAfter'>;

/** For jobs that carry none. */
export const NO_SECRETS: OutputMasker = { redact: (text) => text, redactAfter: (_before, text) => text };

/** What a runner gets besides the job. */
export interface RunContext {
  /** Ends the work: the caller went away, or the deadline passed. */
  signal: StopSignal;
  /** Output as it comes, for callers that show it. */
  onOutput?: ((stream: 'stdout' | 'stderr', text: string) => void) | undefined;
  /** The call's id, as the log has it. */
  callId?: string | undefined;
  /** The id or name of the browser the caller wants. */
  browser?: string | undefined;
  /** A person has to say yes where the job runs, before it does; without it nobody is asked. */
  ask?: Ask | undefined;
  /** Told when a person is asked while the job waits: the approval's id, and what they are asked. */
  onAsked?: ((approvalId: string, reason: string) => void) | undefined;
  /** Masks the call's secrets in output before it is cut, and in what a browser reports. */
  masker?: OutputMasker | undefined;
  /** Told of every bearer that a service hands out, before it is used. */
  onBearer?: ((bearer: string) => void) | undefined;
  /** Somebody watches how far it gets; the request then has a connection of its own. */
  onStage?: ((stage: RunStage) => void) | undefined;
}

/** Carries out jobs of one protocol. Failures it foresees are ForgeErrors with a code for the caller. */
export interface Runner<J extends Job> {
  run(job: J, context: RunContext): Promise<Response>;
}
