import type { ScriptTarget } from '../platform/scripts.ts';
import { buildEnvelope, buildFetch, type EnvelopeInput } from './envelope.ts';
import { readOutcome, readOutcomes, type EndOutcome, type Outcome } from './outcome.ts';

export interface ScriptJob extends Omit<EnvelopeInput, 'nonce' | 'runs'> {
  readonly target: ScriptTarget;
  readonly url: string;
  readonly connector: string;
  readonly world: 'main' | 'isolated';
  /** JSON text. */
  readonly args: string;
  readonly turn: Turn | null;
}

/** Of a run that may wait for its turn, and then go to the page together with others of the same script. */
interface Turn {
  readonly signal: AbortSignal;
  /** While it is `running`, the script may be at work in the page. */
  readonly onStage: (stage: 'waiting' | 'running') => void;
}

interface Deps {
  execute: (job: ScriptJob, code: string) => Promise<unknown>;
  nonce: string;
}

interface Run {
  readonly args: string;
  readonly end: (outcome: EndOutcome) => void;
  readonly fail: (error: unknown) => void;
}

interface Entry extends Run {
  readonly job: ScriptJob;
  readonly turn: Turn;
}

/** The calls of one tab, in order of arrival. */
interface Line {
  /** How many of them are at the page. */
  running: number;
  waiting: Entry[];
}

/** So few go to the page as they come. */
const FEW = 4;
/** By then most is saved, and what can be lost together stays small. */
const MAX_TOGETHER = 8;

/**
 * Runs scripts in pages. Where one that waits for nothing is called faster than its page comes round, the calls that queue up for the page
 * go there as one program: each way to a page and back wakes several processes. Each call still has its own arguments, answer and errors.
 */
export function createScriptRuns({ execute, nonce }: Deps) {
  const lines = new Map<number, Line>();

  /** Answers those that have begun, and says how many that were. */
  const runTogether = async (job: ScriptJob, runs: readonly Run[]): Promise<{ begun: number; hasWaited: boolean }> => {
    const envelope = buildEnvelope({ ...job, runs: runs.map(({ args }) => args), nonce });
    let outcomes: Outcome[];
    try {
      outcomes = readOutcomes(await execute(job, envelope.code), nonce, runs.length, envelope);
    } catch (error) {
      for (const { fail } of runs) fail(error);
      return { begun: runs.length, hasWaited: false };
    }
    const fetchEnd = async (place: number): Promise<EndOutcome> => {
      const outcome = readOutcome(await execute(job, buildFetch(nonce, place)), nonce, envelope);
      return outcome.kind === 'waits' ? { kind: 'nothing' } : outcome;
    };
    for (const [n, outcome] of outcomes.entries()) {
      const run = runs[n];
      if (outcome.kind !== 'waits') run?.end(outcome);
      else if (run !== undefined) fetchEnd(outcome.place).then(run.end, run.fail);
    }
    return { begun: outcomes.length, hasWaited: outcomes.some(({ kind }) => kind === 'waits') };
  };

  const goTogether = (tabId: number, line: Line, job: ScriptJob, entries: readonly Entry[]): void => {
    let isCounted = true;
    line.running += entries.length;
    // A call that is given up may never end in its page: those behind it no longer wait for it.
    const leave = (): void => {
      if (!isCounted) return;
      isCounted = false;
      line.running -= entries.length;
      moveOn(tabId, line);
    };
    for (const { turn } of entries) {
      turn.onStage('running');
      turn.signal.addEventListener('abort', leave);
    }
    void runTogether(job, entries).then(({ begun, hasWaited }) => {
      const notBegun = entries.slice(begun);
      for (const { turn } of entries) turn.signal.removeEventListener('abort', leave);
      for (const { turn } of notBegun) turn.onStage('waiting');
      line.waiting.unshift(...notBegun);
      // A script that waits for something is not what it was taken for: each of those behind it goes by itself, and at once.
      if (hasWaited)
        for (const entry of line.waiting.splice(0).filter(isWanted)) goTogether(tabId, line, entry.job, [entry]);
      leave();
    });
  };

  const moveOn = (tabId: number, line: Line): void => {
    while (line.running < FEW) {
      // Nobody waits for some of them any more, and their scripts must not run.
      line.waiting = line.waiting.filter(isWanted);
      const [first] = line.waiting;
      if (first === undefined) break;
      const other = line.waiting.findIndex(({ job }) => !isSame(job, first.job));
      const count = Math.min(MAX_TOGETHER, other === -1 ? line.waiting.length : other);
      goTogether(tabId, line, first.job, line.waiting.splice(0, count));
    }
    if (line.running === 0 && line.waiting.length === 0 && lines.get(tabId) === line) lines.delete(tabId);
  };

  return (job: ScriptJob): Promise<EndOutcome> =>
    new Promise((end, fail) => {
      const { turn, target, args } = job;
      if (turn === null) {
        void runTogether(job, [{ args, end, fail }]);
        return;
      }
      const line = lines.get(target.tabId) ?? { running: 0, waiting: [] };
      lines.set(target.tabId, line);
      turn.onStage('waiting');
      line.waiting.push({ job, turn, args, end, fail });
      moveOn(target.tabId, line);
    });
}

function isWanted({ turn }: Entry): boolean {
  return !turn.signal.aborted;
}

/** Whether two runs differ in nothing but their arguments. */
function isSame(a: ScriptJob, b: ScriptJob): boolean {
  return (
    a.target.tabId === b.target.tabId &&
    a.target.frameId === b.target.frameId &&
    a.target.documentId === b.target.documentId &&
    a.world === b.world &&
    a.connector === b.connector &&
    a.maxResultBytes === b.maxResultBytes &&
    a.loginSelector === b.loginSelector &&
    a.settings === b.settings &&
    a.script === b.script
  );
}
