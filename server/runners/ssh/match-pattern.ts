import { createContext, Script, type Context } from 'node:vm';
import { ForgeError } from '../../../shared/errors.ts';
import { codeOf } from '../shell/run-process.ts';
import type { SshPattern } from '../../../shared/manifest/ssh-pattern.ts';

/** Where a pattern matched, and what its first group took; the whole match for a pattern without groups. */
export interface PatternMatch {
  end: number;
  value: string | null;
}

/** A pattern that takes longer than this on a few kilobytes never ends. */
const MAX_MS = 100;
/** The time is that of the clock: on a busy computer Forge may have stood still for it, though hardly three times in a row. */
const TRIES = 3;

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

/** Looks for a pattern that a manifest wrote in text that a host printed: neither may keep Forge busy, so it is cut off. */
export function matchPattern(pattern: SshPattern, text: string): PatternMatch | null {
  context ??= createContext(sandbox);
  Object.assign(sandbox, pattern, { text });
  let answer: unknown;
  try {
    answer = search(context, TRIES);
  } finally {
    Object.assign(sandbox, { text: '', found: null });
  }
  if (typeof answer !== 'string' || answer === '') return null;
  const [end, value] = JSON.parse(answer) as [number, string | null]; // written a few lines above
  return { end, value };
}

function search(within: Context, tries: number): unknown {
  try {
    return SEARCH.runInContext(within, { timeout: MAX_MS });
  } catch (error) {
    if (tries > 1 && codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return search(within, tries - 1);
    throw new ForgeError('invalid_manifest', 'a pattern of the tool takes too long on what the host printed', {
      hint: 'Simplify the pattern: no repetition inside another, and anchors where there can be some.',
      cause: error,
    });
  }
}
