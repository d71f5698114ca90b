import { isForgeError, type ForgeError } from '../../../shared/errors.ts';
import { readPattern } from '../../../shared/manifest/ssh-pattern.ts';
import type { StopSignal } from '../../../shared/stop-signal.ts';
import { systemLookup, type Lookup } from '../http/guarded-lookup.ts';
import { NO_SECRETS, type RunContext, type Runner, type SshJob } from '../job.ts';
import { matchPattern } from '../match-pattern.ts';
import type { SshResponse } from '../response.ts';
import { realAfter, type After } from '../shell/run-process.ts';
import { converse, runCommands, type Talk } from './converse.ts';
import { abortFailure, placeOf, timeoutFailure, type Stage } from './failures.ts';
import type { Verdict } from './follow-channel.ts';
import type { KnownHosts } from './known-hosts.ts';
import { reach, type Reached } from './reach.ts';
import { Transcript } from './transcript.ts';

/** What the ssh runner is told about the computer it runs on. */
export interface SshRunnerOptions {
  knownHosts: KnownHosts;
  /** Ports Forge itself listens on; no connection may come back to them. */
  ownPorts: () => readonly number[];
  lookup?: Lookup;
  after?: After;
  quietMs?: number;
  /** How long a host is waited for that is told to end a command, and again when it is told to kill it. */
  endMs?: number;
  maxKeptBytes?: number;
  maxBytes?: number;
}

const MIB = 1024 * 1024;
const QUIET_MS = 100;
const END_MS = 1000;
/** Captures look at the last part of a long output. */
const CAPTURE_CHARS = 262_144;

/** Runs commands on other computers. A connection lives as long as its call. */
export function createSshRunner(options: SshRunnerOptions): Runner<SshJob> {
  const { lookup = systemLookup, after = realAfter, quietMs = QUIET_MS, endMs = END_MS } = options;
  const { maxKeptBytes = MIB, maxBytes = 64 * MIB } = options;
  return {
    async run(job: SshJob, context: RunContext): Promise<SshResponse> {
      const host = placeOf(job.target);
      const transcript = new Transcript({ maxKeptBytes, maxBytes }, context.onOutput, context.masker ?? NO_SECRETS);
      let stage: Stage = { kind: 'connect', host };
      const setStage = (next: Stage): void => {
        stage = next;
      };
      const deadline = startDeadline(job.timeoutMs, context.signal, after, {
        expired: () => timeoutFailure(stage, job.timeoutMs, host, transcript),
        aborted: (reason) => abortFailure(host, reason),
      });
      let reached: Reached | null = null;
      try {
        reached = await reach(job, { ...options, lookup, signal: deadline.signal, stage: setStage });
        const { client, isOpen, signals } = reached.connection;
        const { signal } = deadline;
        const end = { signals, endMs };
        const verdict = await talk({ client, isConnected: isOpen, job, host, transcript, signal, after, quietMs, end, stage: setStage }); // prettier-ignore
        return responseOf(job, transcript, verdict);
      } finally {
        deadline.stop();
        reached?.close();
      }
    },
  };
}

/** Nothing to do means: can somebody log in? */
function talk(session: Talk): Promise<Verdict> {
  if (session.job.promptRegex !== null) return converse(session);
  return runCommands(session);
}

function responseOf(job: SshJob, transcript: Transcript, verdict: Verdict): SshResponse {
  const output = transcript.text();
  const { captured, failure } = capture(job, output);
  return { kind: 'ssh', output, droppedBytes: transcript.droppedBytes, captured, failure: verdict ?? failure };
}

/** What a pattern does not find is left out (W-11). */
function capture(job: SshJob, output: string): { captured: Record<string, string>; failure: Verdict } {
  const text = output.slice(-CAPTURE_CHARS);
  try {
    const found = Object.entries(job.capture).flatMap(([name, pattern]): [string, string][] => {
      const value = matchPattern(readPattern(pattern, 'm'), text)?.value ?? null;
      return value === null ? [] : [[name, value]];
    });
    return { captured: Object.fromEntries(found), failure: null };
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return { captured: {}, failure: error };
  }
}

interface Deadline {
  /** Aborted with a ForgeError that says why. */
  signal: AbortSignal;
  stop(): void;
}

/** The one end of a call: its time is up, or its caller went away. */
function startDeadline(
  timeoutMs: number,
  caller: StopSignal,
  after: After,
  why: { expired: () => ForgeError; aborted: (reason: unknown) => ForgeError },
): Deadline {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(why.aborted(caller.reason));
  const callOff = after(timeoutMs, () => controller.abort(why.expired()));
  if (caller.aborted) cancel();
  else caller.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    stop: () => {
      callOff();
      caller.removeEventListener('abort', cancel);
    },
  };
}
