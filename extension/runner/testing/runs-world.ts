import { ForgeError } from '../../../shared/errors.ts';
import type { ScriptJob } from '../run-together.ts';
import { createScriptRuns } from '../script-runs.ts';
import { createPageRealm } from './page-realm.ts';

export const NONCE = '0123456789abcdef';

export interface Call {
  args?: unknown;
  changes?: Partial<ScriptJob>;
  isAlone?: boolean;
}

/** Runs in a page that works off one program after the other, each when it is told to. */
export function runsWorld(script: string, page = '') {
  // A program is cut short by the clock only where the page turns it.
  const realm = createPageRealm(NONCE, `performance = { now: () => 0 }; ${page}`);
  const programs: { go: () => Promise<void>; answer: (raw: unknown) => void; fail: (error: Error) => void }[] = [];
  const waited: string[] = [];
  const run = createScriptRuns({
    nonce: NONCE,
    store: 'forge$store',
    ownOrigins: () => ['http://127.0.0.1:8403'],
    onWait: (script) => waited.push(script),
    execute: (_, code) =>
      new Promise((resolve, reject) => {
        const go = async (): Promise<void> => resolve(await realm.execute(code));
        programs.push({ go, answer: resolve, fail: reject });
      }),
  });
  /** The next program runs to its end. */
  const next = async (): Promise<void> => {
    await programs.shift()?.go();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    realm,
    programs,
    waited,
    call: ({ args = {}, changes = {}, isAlone = false }: Call = {}) => {
      const stopping = new AbortController();
      const stages: string[] = [];
      const outcome = run({
        target: { tabId: 1, frameId: 0, documentId: 'doc' },
        url: 'https://a.example/x',
        connector: 'demo',
        world: 'main',
        script,
        args: JSON.stringify(args),
        settings: '{}',
        maxResultBytes: 4 * 1024 * 1024,
        loginSelector: null,
        expect: null,
        turn: isAlone ? null : { signal: stopping.signal, onStage: (stage) => stages.push(stage) },
        ...changes,
      });
      // Whoever gives up no longer listens.
      outcome.catch(() => undefined);
      const stop = (): void => stopping.abort(new ForgeError('cancelled', 'Stopped.'));
      return { outcome, stages, stop, signal: stopping.signal };
    },
    next,
    /** One after the other until there is none; how many that were. */
    all: async (): Promise<number> => {
      let count = 0;
      for (; programs.length > 0; count += 1) await next();
      return count;
    },
  };
}

export const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
/** A page that counts. */
export const COUNTING = 'count = 0; order = []';
