import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForgeError } from '../../../../shared/errors.ts';
import type { RunContext } from '../../job.ts';
import { endMarked } from '../marked-processes.ts';
import { groupFor } from '../run-marked.ts';
import type { Ended, StartProgram, StopReason } from '../run-process.ts';
import type { EndedThere, FromSpawner, ToSpawner } from './messages.ts';

/** Beyond every wait of a program's own; who has not answered by then will not. */
const SILENCE_MS = 5000;
/** A computer that needs longer to start one small process is not going to start another. */
const START_MS = 20_000;

interface Run {
  context: RunContext;
  /** Known once it has been started. */
  pid: number | null;
  /** Known here alone: why this side has told the program to stop. */
  stopped: StopReason | null;
  end: (how: Ended | Error) => void;
}

export interface HelperOptions {
  script: URL;
  /** What its programs carry in their environment, and nobody else's. */
  mark: string;
  /** Where Windows is; empty elsewhere. */
  systemRoot: string;
}

interface Later {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

function later(): Later {
  const made: Partial<Later> = {};
  const promise = new Promise<void>((resolve, reject) => Object.assign(made, { resolve, reject }));
  // Whoever waits for it is told; nobody has to.
  promise.catch(() => undefined);
  return { promise, ...made } as Later; // a promise runs what it is given at once
}

const NOTHING = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  droppedBytes: 0,
  before: { stdout: '', stderr: '' },
};

/** The process that starts programs, as Forge sees it. */
export class Helper {
  readonly #child: ChildProcess;
  readonly #options: HelperOptions;
  readonly #runs = new Map<number, Run>();
  readonly #ready = later();
  readonly #gone = later();
  #nextId = 1;
  /** Programs under way, and those that wait for it to be ready. */
  #busy = 0;
  #isUsable = true;
  #isClosing = false;

  constructor(options: HelperOptions) {
    this.#options = options;
    const script = fileURLToPath(options.script);
    this.#child = fork(script, [options.mark, options.systemRoot], {
      env: options.systemRoot === '' ? {} : { SYSTEMROOT: options.systemRoot },
      execArgv: script.endsWith('.ts') ? ['--import', 'tsx'] : [],
      cwd: path.dirname(script),
      // A group of its own: Ctrl+C in the terminal is Forge's to answer.
      detached: true,
      serialization: 'advanced',
      // The pipe is never written to: it closes when neither the process nor its guardian is left.
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    this.#child.stdout?.resume();
    this.#child.on('message', (message: FromSpawner) => this.#take(message));
    // Its event `close` would not come where Forge has disconnected it.
    this.#child.once('exit', () => this.#onExit());
    this.#child.once('error', (error) => this.#lose(error.message));
    const late = setTimeout(() => this.#child.kill('SIGKILL'), START_MS).unref();
    this.#ready.promise.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    );
    this.#hold(false);
  }

  /** False once it cannot be given another program. */
  get isUsable(): boolean {
    return this.#isUsable && !this.#isClosing;
  }

  async run(...program: Parameters<StartProgram>): Promise<Ended> {
    this.#busy += 1;
    this.#hold(true);
    try {
      await this.#ready.promise;
      return await this.#run(...program);
    } finally {
      this.#busy -= 1;
      if (this.#busy === 0) this.#rest();
    }
  }

  /** What is under way may end first. Resolves when nothing of it is left. */
  close(): Promise<void> {
    this.#isClosing = true;
    if (this.#busy === 0) this.#rest();
    return this.#gone.promise;
  }

  #run(...[spec, limits, context]: Parameters<StartProgram>): Promise<Ended> {
    const { signal } = context;
    if (signal.aborted) {
      return Promise.resolve({ ...NOTHING, stopped: { kind: 'aborted', reason: signal.reason } });
    }
    const id = this.#nextId++;
    const { killGraceMs, drainMs, maxStreamBytes, maxTotalBytes } = limits;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#stop(id, { kind: 'aborted', reason: signal.reason });
      // It keeps the program's time; this is for the case that it does not answer at all.
      const callOff = limits.after(spec.timeoutMs + killGraceMs + drainMs + SILENCE_MS, () => this.#giveUp(id));
      const end: Run['end'] = (how) => {
        callOff();
        signal.removeEventListener('abort', onAbort);
        this.#runs.delete(id);
        if (how instanceof Error) reject(how);
        else resolve(how);
      };
      this.#runs.set(id, { context, pid: null, stopped: null, end });
      signal.addEventListener('abort', onAbort, { once: true });
      const waits = { killGraceMs, drainMs, maxStreamBytes, maxTotalBytes };
      this.#send({ kind: 'run', id, spec, waits, isFollowed: context.onOutput !== undefined });
    });
  }

  #take(message: FromSpawner): void {
    if (message.kind === 'ready') {
      this.#ready.resolve();
      return;
    }
    const run = this.#runs.get(message.id);
    if (run === undefined) return;
    switch (message.kind) {
      case 'started':
        run.pid = message.pid;
        break;
      case 'output':
        this.#show(message, run);
        break;
      case 'ended':
        run.end(endedHere(message.ended, run.stopped));
        break;
      case 'not-started':
        run.end(Object.assign(new Error(message.message), { code: message.code }));
        break;
    }
  }

  #show({ id, stream, text }: Extract<FromSpawner, { kind: 'output' }>, { context, stopped }: Run): void {
    if (stopped !== null) return;
    try {
      context.onOutput?.(stream, text);
    } catch (error) {
      this.#stop(id, { kind: 'failed', error });
    }
  }

  /** One more turn of the event loop first: where Forge itself stood still, the answer may be there and not read yet. */
  #giveUp(id: number): void {
    setImmediate(() => {
      if (this.#runs.has(id)) this.#child.kill('SIGKILL');
    });
  }

  #stop(id: number, reason: StopReason): void {
    const run = this.#runs.get(id);
    if (run === undefined || run.stopped !== null) return;
    run.stopped = reason;
    this.#send({ kind: 'stop', id });
  }

  #send(message: ToSpawner): void {
    // One that cannot be reached is about to be missed.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Its guardian ends what it has left behind, and is waited for, though not for ever. */
  #onExit(): void {
    this.#isUsable = false;
    const lose = (): void => this.#lose('it ended before it was ready');
    const pipe = this.#child.stdout;
    if (pipe === null || pipe.closed) {
      lose();
      return;
    }
    const late = setTimeout(lose, SILENCE_MS);
    pipe.once('close', lose);
    void this.#gone.promise.then(() => clearTimeout(late));
  }

  /** Whoever still waits for a program hears that it is lost. What the guardian could not end, because it is gone as well, ends here. */
  #lose(reason: string): void {
    this.#isUsable = false;
    this.#ready.reject(new ForgeError('spawner_unavailable', `programs cannot be started: ${reason}`));
    const lost = [...this.#runs.values()];
    for (const { pid } of lost) if (pid !== null) groupFor(pid, this.#options.systemRoot).signal('SIGKILL');
    if (lost.length > 0) endMarked(this.#options.mark);
    for (const { end, stopped } of lost) end({ ...NOTHING, stopped: stopped ?? { kind: 'lost' } });
    this.#gone.resolve();
  }

  #rest(): void {
    if (this.#isClosing && this.#child.connected) this.#child.disconnect();
    // One that is about to go is waited for.
    this.#hold(this.#isClosing);
  }

  /** Forge may end while it is idle, but not while a program runs. */
  #hold(isBusy: boolean): void {
    // The pipe is a socket, which knows both; its type says only what every readable stream has.
    const pipe = this.#child.stdout as (ChildProcess['stdout'] & { ref(): void; unref(): void }) | null;
    for (const handle of [this.#child, this.#child.channel, pipe]) {
      if (isBusy) handle?.ref();
      else handle?.unref();
    }
  }
}

function endedHere({ stopped, ...ended }: EndedThere, why: StopReason | null): Ended {
  if (stopped === 'aborted') return { ...ended, stopped: why };
  if (stopped === 'failed') return { ...ended, stopped: { kind: 'failed', error: new Error('its output was lost') } };
  return { ...ended, stopped: stopped === null ? null : { kind: stopped } };
}
