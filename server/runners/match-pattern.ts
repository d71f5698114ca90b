import { types } from 'node:util';
import { createContext, Script, type Context } from 'node:vm';
import { ForgeError } from '../../shared/errors.ts';
import type { SshPattern } from '../../shared/manifest/ssh-pattern.ts';

/** Where a pattern matched, and what its first group took; the whole match for a pattern without groups. */
interface PatternMatch {
  end: number;
  value: string | null;
}

/** A pattern that keeps the processor busy for longer than this on a few kilobytes never ends. */
const MAX_MS = 100;

const SEARCH = new Script(`
  found = new RegExp(source, flags).exec(text);
  found === null ? '' : JSON.stringify([found.index + found[0].length, found.length > 1 ? (found[1] ?? null) : found[0]]);
`);

interface Sandbox {
  source: string;
  flags: string;
  text: string;
  found: unknown;
}

const sandbox: Sandbox = { source: '', flags: '', text: '', found: null };
let context: Context | null = null;

/** Looks for a pattern that a manifest wrote in text that came from outside: neither may keep Forge busy, so it is cut off. */
export function matchPattern(pattern: SshPattern, text: string, maxMs = MAX_MS): PatternMatch | null {
  context ??= createContext(sandbox);
  Object.assign(sandbox, pattern, { text });
  let answer: unknown;
  try {
    answer = search(context, maxMs);
  } finally {
    Object.assign(sandbox, { text: '', found: null });
  }
  if (typeof answer !== 'string' || answer === '') return null;
  const [end, value] = JSON.parse(answer) as [number, string | null]; // written a few lines above
  return { end, value };
}

/** It can be cut off by the clock only, and on a busy computer Forge may have stood still meanwhile: then it has another, longer try. */
function search(within: Context, maxMs: number): unknown {
  const before = process.cpuUsage();
  for (let limitMs = 2 * maxMs; ; limitMs *= 2) {
    try {
      return SEARCH.runInContext(within, { timeout: limitMs });
    } catch (error) {
      const { user, system } = process.cpuUsage(before);
      const wasBusy = (user + system) / 1000 >= maxMs;
      if (!wasBusy && isTimeout(error)) continue;
      throw new ForgeError('invalid_manifest', 'a pattern of the manifest takes too long on what came back', {
        hint: 'Simplify the pattern: no repetition inside another, and anchors where there can be some.',
        cause: error,
      });
    }
  }
}

/** The error is one of the context's own, and no instance of the `Error` known here. */
function isTimeout(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
