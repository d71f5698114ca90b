import { sourceName } from './envelope.ts';

/** What became of a run, as far as the page told. */
export type Outcome =
  | { kind: 'value'; text: string; isQuick: boolean }
  | { kind: 'login' }
  /** The page has an error status, and nothing has run. */
  | { kind: 'page_failed'; status: number }
  /** The element that the tool expects was there neither before nor after the script. */
  | { kind: 'element_missing' }
  | { kind: 'not_json'; reason: string }
  | { kind: 'too_large'; characters: number }
  | { kind: 'threw'; name: string; message: string; line: number | null }
  /** It was left in the page, where it waits. */
  | { kind: 'waits'; place: number }
  /** The page would have changed the result; `what` it has replaced. */
  | { kind: 'interfered'; what: string }
  /** It is Forge's own page, and nothing has run. */
  | { kind: 'own_page' }
  /** Only the fallback without user scripts can tell these two. */
  | { kind: 'eval_blocked' }
  | { kind: 'syntax'; message: string }
  /** Nothing that carries the nonce came back: the script does not parse, or its page went away. */
  | { kind: 'nothing' };

export type EndOutcome = Exclude<Outcome, { kind: 'waits' }>;

/** A length with its comma. */
const MAX_SIZE_CHARACTERS = 10;

/** Where a script stands in its envelope. */
export interface ScriptLines {
  /** Lines before its first one. */
  readonly lineOffset: number;
  readonly lineCount: number;
}

/** Reads the one string a run returns; see the envelope for its letters. */
export function readOutcome(raw: unknown, nonce: string, script: ScriptLines): Outcome {
  if (typeof raw !== 'string' || !raw.startsWith(nonce)) return { kind: 'nothing' };
  const text = raw.slice(nonce.length + 1);
  switch (raw.charAt(nonce.length)) {
    case 'v':
    case 'w':
      return { kind: 'value', text, isQuick: raw.charAt(nonce.length) === 'v' };
    case 'p':
      return /^\d{1,9}$/.test(text) ? { kind: 'waits', place: Number(text) } : { kind: 'nothing' };
    case 'g':
      return { kind: 'login' };
    case 'h':
      return { kind: 'page_failed', status: Number(text) };
    case 'k':
      return { kind: 'element_missing' };
    case 't':
      return { kind: 'interfered', what: text };
    case 'o':
      return { kind: 'own_page' };
    case 'l':
      return { kind: 'too_large', characters: Number(text) };
    case 'b':
      return { kind: 'eval_blocked' };
    case 's':
      return { kind: 'syntax', message: text };
    case 'n': {
      const [, reason = ''] = text.split('\0');
      return { kind: 'not_json', reason: firstLine(reason) };
    }
    case 'e': {
      const [name = '', message = '', stack = ''] = text.split('\0');
      return { kind: 'threw', name, message, line: lineIn(stack, nonce, script) };
    }
    default:
      return { kind: 'nothing' };
  }
}

/**
 * Reads what several runs return together: what became of the first, the second and so on. Those behind the last have not begun; the
 * first always has. An answer without parts is one to all of them.
 */
export function readOutcomes(raw: unknown, nonce: string, count: number, script: ScriptLines): Outcome[] {
  const head = `${nonce}m`;
  if (typeof raw !== 'string' || !raw.startsWith(head))
    return Array.from({ length: count }, () => readOutcome(raw, nonce, script));
  const sizes = /^(?:\d{1,9},)+/.exec(raw.slice(head.length, head.length + count * MAX_SIZE_CHARACTERS))?.[0] ?? '';
  const outcomes: Outcome[] = [];
  let at = head.length + sizes.length;
  for (const size of sizes.split(',').slice(0, count)) {
    if (size === '') break;
    outcomes.push(readOutcome(raw.slice(at, at + Number(size)), nonce, script));
    at += Number(size);
  }
  return outcomes.length > 0 ? outcomes : Array.from({ length: count }, () => ({ kind: 'nothing' }));
}

/** The innermost line of the script in a stack trace, counted as in the manifest; what we put around the script does not count. */
function lineIn(stack: string, nonce: string, { lineOffset, lineCount }: ScriptLines): number | null {
  const name = sourceName(nonce).replace('.', '\\.');
  for (const [, found] of stack.matchAll(new RegExp(`${name}:(\\d+):\\d+`, 'g'))) {
    const line = Number(found) - lineOffset;
    if (line >= 1 && line <= lineCount) return line;
  }
  return null;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** The size of a text in UTF-8, counted only where it could matter. */
export function isLargerThan(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  if (text.length * 3 <= maxBytes) return false;
  return new TextEncoder().encode(text).length > maxBytes;
}
