import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RunContext } from '../../job.ts';
import { runProcess, type Ended, type ProcessLimits, type ProcessSpec, type StopReason } from '../run-process.ts';
import type { EndedThere, FromSpawner, ToSpawner } from './messages.ts';

interface SpawnerOptions {
  /** The code of the other process, bundled. */
  script: URL;
  platform?: NodeJS.Platform;
  /** One that had nothing to do for so long goes; a later program starts another. */
  idleMs?: number;
}

export interface Spawner {
  run: typeof runProcess;
  close: () => void;
}

const IDLE_MS = 60_000;
/** Beyond every wait of a program's own; who has not answered by then will not. */
const SILENCE_MS = 5000;

/**
 * To start a program, Linux copies the table of all memory that the starting process has, while nothing else in it can happen: 2 ms
 * for a small process and 10 for a large one. So from the second program on a small process does it. Where the system starts programs in
 * another way, or there is no such process yet, Forge does it itself.
 */
export function createSpawner({ script, platform = process.platform, idleMs = IDLE_MS }: SpawnerOptions): Spawner {
  let isPossible = platform === 'linux' && existsSync(script);
  let helper: Helper | null = null;
  let isFirst = true;
  let isClosed = false;
  let idle: NodeJS.Timeout | null = null;
  const rest = (): void => {
    helper?.close();
    helper = null;
  };
  const restLater = (): void => {
    if (idle !== null) clearTimeout(idle);
    if (!isClosed) idle = setTimeout(rest, idleMs).unref();
  };
  const current = (): Helper | null => {
    if (helper?.isGone === true) {
      // One that could not even start would fail in the same way again.
      isPossible &&= helper.hasStarted;
      helper = null;
    }
    // Whoever calls one tool from a terminal and leaves needs no helper.
    if (helper === null && isPossible && !isFirst && !isClosed) helper = new Helper(script);
    isFirst = false;
    return helper?.isReady === true ? helper : null;
  };
  return {
    run: async (spec, limits, context) => {
      const ready = current();
      try {
        return await (ready === null ? runProcess(spec, limits, context) : ready.run(spec, limits, context));
      } finally {
        if (helper !== null) restLater();
      }
    },
    close: () => {
      isClosed = true;
      if (idle !== null) clearTimeout(idle);
      rest();
    },
  };
}

interface Run {
  context: RunContext;
  /** Known here alone: why this side has told the program to stop. */
  stopped: StopReason | null;
  end: (how: Ended | Error) => void;
}

class Helper {
  readonly #child: ChildProcess;
  readonly #runs = new Map<number, Run>();
  #nextId = 1;
  #hasStarted = false;
  #isGone = false;
  #isClosing = false;

  constructor(script: URL) {
    this.#child = fork(fileURLToPath(script), [], {
      env: {},
      execArgv: [],
      // A group of its own: Ctrl+C in the terminal is Forge's to answer.
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (message: FromSpawner) => this.#take(message));
    this.#child.once('exit', () => this.#lose());
    this.#child.once('error', () => this.#lose());
    this.#hold(false);
  }

  get isReady(): boolean {
    return this.#hasStarted && !this.#isClosing;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  run(spec: ProcessSpec, limits: ProcessLimits, context: RunContext): Promise<Ended> {
    const id = this.#nextId++;
    const { killGraceMs, drainMs, maxStreamBytes, maxTotalBytes } = limits;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#stop(id, { kind: 'aborted', reason: context.signal.reason });
      // It keeps the program's time; this is for the case that it does not answer at all.
      const callOff = limits.after(spec.timeoutMs + killGraceMs + drainMs + SILENCE_MS, () => this.#giveUp(id));
      const end: Run['end'] = (how) => {
        callOff();
        context.signal.removeEventListener('abort', onAbort);
        this.#runs.delete(id);
        if (this.#runs.size === 0) this.#rest();
        if (how instanceof Error) reject(how);
        else resolve(how);
      };
      if (this.#runs.size === 0) this.#hold(true);
      this.#runs.set(id, { context, stopped: null, end });
      context.signal.addEventListener('abort', onAbort, { once: true });
      const waits = { killGraceMs, drainMs, maxStreamBytes, maxTotalBytes };
      this.#send({ kind: 'run', id, spec, waits, isFollowed: context.onOutput !== undefined });
    });
  }

  /** What is under way may end first. */
  close(): void {
    this.#isClosing = true;
    if (this.#runs.size === 0) this.#rest();
  }

  #take(message: FromSpawner): void {
    if (message.kind === 'ready') {
      this.#hasStarted = true;
      return;
    }
    const run = this.#runs.get(message.id);
    if (run === undefined) return;
    if (message.kind === 'output') this.#show(message, run);
    else if (message.kind === 'ended') run.end(endedHere(message.ended, run.stopped));
    else run.end(Object.assign(new Error(message.message), { code: message.code }));
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

  /** It died with programs under way, and took what they printed with it. */
  #lose(): void {
    this.#isGone = true;
    const lost: StopReason = { kind: 'lost' };
    const nothing = {
      exitCode: null,
      signal: null,
      stdout: '',
      stderr: '',
      droppedBytes: 0,
      before: { stdout: '', stderr: '' },
    };
    for (const { end, stopped } of [...this.#runs.values()]) end({ ...nothing, stopped: stopped ?? lost });
  }

  #rest(): void {
    if (this.#isClosing && this.#child.connected) this.#child.disconnect();
    this.#hold(false);
  }

  /** Forge may end while it is idle, but not while a program runs. */
  #hold(isBusy: boolean): void {
    if (isBusy) {
      this.#child.ref();
      this.#child.channel?.ref();
    } else {
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }
}

function endedHere({ stopped, ...ended }: EndedThere, why: StopReason | null): Ended {
  if (stopped === 'aborted') return { ...ended, stopped: why };
  if (stopped === 'failed') return { ...ended, stopped: { kind: 'failed', error: new Error('its output was lost') } };
  return { ...ended, stopped: stopped === null ? null : { kind: stopped } };
}
