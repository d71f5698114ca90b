import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { RunContext } from '../job.ts';
import type { Invocation } from './batch-file.ts';
import { OutputTail, type StreamName } from './output-tail.ts';
import type { ProcessGroup } from './process-group.ts';

/** Runs something later; the function it returns calls it off. */
export type After = (ms: number, run: () => void) => () => void;

/** A program that is ready to be started. */
export interface ProcessSpec extends Invocation {
  argv0: string;
  env: Record<string, string>;
  cwd: string;
  timeoutMs: number;
}

/** How long a program is waited for at each step, and how much it may print. */
export interface Waits {
  killGraceMs: number;
  drainMs: number;
  maxStreamBytes: number;
  maxTotalBytes: number;
}

export interface StartLimits extends Waits {
  after: After;
}

interface ProcessLimits extends StartLimits {
  groupOf: (pid: number) => ProcessGroup;
}

/** Starts a program and waits for its end; rejects only when it could not be started. */
export type StartProgram = (spec: ProcessSpec, limits: StartLimits, context: RunContext) => Promise<Ended>;

/** Why a program was ended before it ended by itself; of one that was lost nobody knows whether it has. */
export type StopReason =
  | { kind: 'timeout' | 'flood' | 'lost' }
  | { kind: 'aborted'; reason: unknown }
  | { kind: 'failed'; error: unknown };

/** How a program ended, or was ended. */
export interface Ended {
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  droppedBytes: number;
  /** What was dropped last of each stream. */
  before: Record<StreamName, string>;
  stopped: StopReason | null;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

export const realAfter: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** The system's name for what went wrong; empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Starts a program and waits for its end; rejects only when it could not be started. Nothing of it is left afterwards. */
export function runProcess(spec: ProcessSpec, limits: ProcessLimits, context: RunContext): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(spec.file, [...spec.args], {
      argv0: spec.argv0,
      cwd: spec.cwd,
      env: spec.env,
      shell: false,
      // A group of its own, so that what the program starts can be ended with it; on Windows this would open a console.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      windowsVerbatimArguments: spec.isVerbatim,
    });
    if (child.pid === undefined) {
      child.once('error', reject);
      return;
    }
    new RunningProcess(child, limits.groupOf(child.pid), limits, context).watch(spec.timeoutMs, resolve);
  });
}

class RunningProcess {
  readonly #child: Child;
  readonly #group: ProcessGroup;
  readonly #limits: ProcessLimits;
  readonly #context: RunContext;
  readonly #tails: Record<StreamName, OutputTail>;
  readonly #cancels: (() => void)[] = [];
  #resolve: ((ended: Ended) => void) | null = null;
  #stopped: StopReason | null = null;
  #exit: { code: number | null; signal: string | null } | null = null;
  #isGroupLeft = true;

  constructor(child: Child, group: ProcessGroup, limits: ProcessLimits, context: RunContext) {
    this.#child = child;
    this.#group = group;
    this.#limits = limits;
    this.#context = context;
    this.#tails = { stdout: new OutputTail(limits.maxStreamBytes), stderr: new OutputTail(limits.maxStreamBytes) };
  }

  watch(timeoutMs: number, resolve: (ended: Ended) => void): void {
    this.#resolve = resolve;
    const { signal } = this.#context;
    const onAbort = (): void => this.#stop({ kind: 'aborted', reason: signal.reason });
    signal.addEventListener('abort', onAbort, { once: true });
    this.#cancels.push(() => signal.removeEventListener('abort', onAbort));
    this.#later(timeoutMs, () => this.#stop({ kind: 'timeout' }));
    this.#read('stdout');
    this.#read('stderr');
    this.#child.on('error', (error) => this.#stop({ kind: 'failed', error }));
    this.#child.once('exit', (code, signalName) => this.#onExit(code, signalName));
    this.#child.once('close', () => this.#finish());
  }

  #read(name: StreamName): void {
    const stream = this.#child[name];
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => {
      this.#tails[name].add(chunk);
      this.#show(name, decoder.write(chunk));
      const printed = this.#tails.stdout.seenBytes + this.#tails.stderr.seenBytes;
      if (printed > this.#limits.maxTotalBytes) this.#stop({ kind: 'flood' });
    });
    stream.once('end', () => this.#show(name, decoder.end()));
    stream.on('error', (error) => this.#stop({ kind: 'failed', error }));
  }

  #show(name: StreamName, text: string): void {
    if (text === '' || this.#stopped !== null || this.#context.onOutput === undefined) return;
    try {
      this.#context.onOutput(name, text);
    } catch (error) {
      this.#stop({ kind: 'failed', error });
    }
  }

  #onExit(code: number | null, signal: string | null): void {
    this.#exit = { code, signal };
    // Asked right away: once a group is empty, its number may be given to somebody else's.
    this.#isGroupLeft = this.#group.isAlive();
    this.#drain();
  }

  /** Politely first, then not: a program may ignore SIGTERM but not SIGKILL. */
  #stop(reason: StopReason): void {
    if (this.#stopped !== null || this.#exit !== null) return;
    this.#stopped = reason;
    this.#group.signal('SIGTERM');
    this.#later(this.#limits.killGraceMs, () => {
      if (this.#isGroupLeft) this.#group.signal('SIGKILL');
      this.#drain();
    });
  }

  /** Streams normally close with the program; a process it left behind may hold them open for ever. */
  #drain(): void {
    this.#later(this.#limits.drainMs, () => {
      // One more turn of the event loop, so that output that has arrived is read however late the timer was.
      setImmediate(() => this.#finish());
    });
  }

  #finish(): void {
    const resolve = this.#resolve;
    if (resolve === null) return;
    this.#resolve = null;
    for (const cancel of this.#cancels) cancel();
    if (this.#isGroupLeft) this.#group.signal('SIGKILL');
    this.#group.endStrays();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.#child.unref();
    const { stdout, stderr } = this.#tails;
    resolve({
      exitCode: this.#exit?.code ?? null,
      signal: this.#exit?.signal ?? null,
      stdout: stdout.text(),
      stderr: stderr.text(),
      droppedBytes: stdout.droppedBytes + stderr.droppedBytes,
      before: { stdout: stdout.before(), stderr: stderr.before() },
      stopped: this.#stopped,
    });
  }

  #later(ms: number, run: () => void): void {
    if (this.#resolve !== null) this.#cancels.push(this.#limits.after(ms, run));
  }
}
