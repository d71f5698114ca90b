import type { ScriptTarget } from '../platform/scripts.ts';
import { buildEnvelope, buildFetch, type EnvelopeInput, type Store } from './envelope.ts';
import { readOutcome, readOutcomes, type EndOutcome, type ScriptLines } from './outcome.ts';
import { NOT_STARTED, leftPage } from './rejections.ts';

export interface ScriptJob extends Omit<EnvelopeInput, 'nonce' | 'runs' | 'store' | 'ownOrigins'> {
  readonly target: ScriptTarget;
  readonly url: string;
  readonly connector: string;
  readonly world: 'main' | 'isolated';
  /** JSON text. */
  readonly args: string;
  readonly turn: Turn | null;
}

/** Of a run that may wait for its turn, and then go to the page together with others of the same script. */
export interface Turn {
  readonly signal: AbortSignal;
  /** While it is `running`, the script may be at work in the page. */
  readonly onStage: (stage: 'waiting' | 'running') => void;
}

/** One run of a script: its arguments, and who is told how it ended. */
export interface Run {
  readonly args: string;
  readonly end: (outcome: EndOutcome) => void;
  readonly fail: (error: unknown) => void;
}

export interface ProgramDeps {
  execute: (job: ScriptJob, code: string) => Promise<unknown>;
  /** A script that was taken for one that waits for nothing has begun to wait. */
  onWait: (script: string) => void;
  nonce: string;
  store: string;
  ownOrigins: () => readonly string[];
  /** The worlds of documents that have a place for runs that are left there. */
  stored: Set<string>;
}

/** Runs a script in its page, for each of these, as one program. Answers those that have begun, and says how many that were. */
export async function runTogether(job: ScriptJob, runs: readonly Run[], deps: ProgramDeps): Promise<number> {
  const { execute, onWait, nonce, ownOrigins } = deps;
  try {
    const args = runs.map((run) => run.args);
    const store = job.turn === null ? null : storeFor(job, deps);
    const envelope = buildEnvelope({ ...job, runs: args, store, nonce, ownOrigins: ownOrigins() });
    const raw = await execute(job, envelope.code);
    const outcomes = readOutcomes(raw, nonce, runs.length, envelope);
    for (const [n, outcome] of outcomes.entries()) {
      const run = runs[n];
      if (outcome.kind !== 'waits') run?.end(outcome);
      else if (run !== undefined) {
        onWait(job.script);
        fetchEnd(job, outcome.place, envelope, deps).then(run.end, run.fail);
      }
    }
    return outcomes.length;
  } catch (error) {
    for (const { fail } of runs) fail(error);
    return runs.length;
  }
}

const MAX_STORED = 500;

/** Programs reach a document in the order in which they are sent, so the first one makes the place for those that follow. */
function storeFor({ target, world, connector }: ScriptJob, { store: name, stored }: ProgramDeps): Store {
  const place = `${target.tabId} ${target.frameId} ${target.documentId} ${world === 'main' ? '' : connector}`;
  const isNew = !stored.has(place);
  if (stored.size >= MAX_STORED) stored.clear();
  stored.add(place);
  return { name, isNew };
}

/** The end of a run that was left in its page. It has begun, so a page that is gone has taken it along. */
async function fetchEnd(
  job: ScriptJob,
  place: number,
  script: ScriptLines,
  { execute, nonce, store }: ProgramDeps,
): Promise<EndOutcome> {
  const raw = await execute(job, buildFetch(store, place)).catch((error: unknown) => {
    throw NOT_STARTED.test(String(error instanceof Error ? error.message : error)) ? leftPage() : error;
  });
  const outcome = readOutcome(raw, nonce, script);
  if (outcome.kind === 'nothing' || outcome.kind === 'waits') throw leftPage();
  return outcome;
}
