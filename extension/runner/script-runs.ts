import type { EndOutcome } from './outcome.ts';
import { runTogether, type ProgramDeps, type Run, type ScriptJob, type Turn } from './run-together.ts';

interface Entry extends Run {
  readonly job: ScriptJob;
  readonly turn: Turn;
}

/** The calls of one tab, in order of arrival. */
interface Line {
  /** What is at the page; with `FULL` or more nothing goes there. */
  load: number;
  waiting: Entry[];
}

/** So many calls go to the page as they come; those that go together are as much, so that nobody overtakes what has not begun of them. */
const FULL = 4;
/** By then most is saved, and what can be lost together stays small. */
const MAX_TOGETHER = 8;
const MAX_ARGS_CHARACTERS = 256 * 1024;

/**
 * Runs scripts in pages. Where one that waits for nothing is called faster than its page comes round, the calls that queue up for the page
 * go there as one program: each way to a page and back wakes several processes. Each call still has its own arguments, answer and errors.
 */
export function createScriptRuns(programs: Omit<ProgramDeps, 'stored'>) {
  const deps: ProgramDeps = { ...programs, stored: new Set() };
  const lines = new Map<number, Line>();

  const send = (tabId: number, line: Line, job: ScriptJob, entries: readonly Entry[]): void => {
    const load = entries.length === 1 ? 1 : FULL;
    let isAway = true;
    line.load += load;
    const back = (): void => {
      if (!isAway) return;
      isAway = false;
      line.load -= load;
      moveOn(tabId, line);
    };
    // A program that nobody wants any more may never come back. Looked at a moment later: whoever stops all calls is still at it.
    const onAbort = (): void =>
      queueMicrotask(() => {
        if (!entries.some(isWanted)) back();
      });
    for (const { turn } of entries) {
      turn.onStage('running');
      turn.signal.addEventListener('abort', onAbort);
    }
    void runTogether(job, entries, deps).then((begun) => {
      for (const { turn } of entries) turn.signal.removeEventListener('abort', onAbort);
      const notBegun = entries.slice(begun);
      for (const { turn, fail } of notBegun) {
        if (turn.signal.aborted) fail(turn.signal.reason);
        else turn.onStage('waiting');
      }
      line.waiting.unshift(...notBegun.filter(isWanted));
      back();
    });
  };

  const moveOn = (tabId: number, line: Line): void => {
    while (line.load < FULL) {
      // Nobody waits for some of them any more, and their scripts must not run.
      line.waiting = line.waiting.filter(isWanted);
      const [first] = line.waiting;
      if (first === undefined) break;
      send(tabId, line, first.job, line.waiting.splice(0, countTogether(line.waiting, first)));
    }
    if (line.load === 0 && lines.get(tabId) === line) lines.delete(tabId);
  };

  return (job: ScriptJob): Promise<EndOutcome> =>
    new Promise((end, fail) => {
      const { turn, target, args } = job;
      if (turn === null) {
        void runTogether(job, [{ args, end, fail }], deps);
        return;
      }
      const line = lines.get(target.tabId) ?? { load: 0, waiting: [] };
      lines.set(target.tabId, line);
      turn.onStage('waiting');
      line.waiting.push({ job, turn, args, end, fail });
      moveOn(target.tabId, line);
    });
}

function isWanted({ turn }: Entry): boolean {
  return !turn.signal.aborted;
}

/** How many of those in front can go together. */
function countTogether(waiting: readonly Entry[], first: Entry): number {
  let characters = 0;
  const end = waiting.slice(0, MAX_TOGETHER).findIndex(({ job, args }) => {
    characters += args.length;
    return !isSame(job, first.job) || characters > MAX_ARGS_CHARACTERS;
  });
  return end === -1 ? Math.min(waiting.length, MAX_TOGETHER) : Math.max(end, 1);
}

/** Whether two runs differ in nothing but their arguments. */
function isSame(a: ScriptJob, b: ScriptJob): boolean {
  return (
    a.target.frameId === b.target.frameId &&
    a.target.documentId === b.target.documentId &&
    a.world === b.world &&
    a.connector === b.connector &&
    a.maxResultBytes === b.maxResultBytes &&
    a.loginSelector === b.loginSelector &&
    a.settings === b.settings &&
    JSON.stringify(a.expect) === JSON.stringify(b.expect) &&
    a.script === b.script
  );
}
