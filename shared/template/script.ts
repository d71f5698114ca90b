import { getLineInfo } from 'acorn';
import type { Program } from 'acorn';
import { ForgeError } from '../errors.ts';
import { withoutTrailingSlash } from './expand-text.ts';
import type { Token } from './parse.ts';
import { isSetting, lookUp, openValue, textOf } from './scope.ts';
import type { Scope } from './scope.ts';
import { codeLiteral, escapeForRegex, escapeForString } from './script-escape.ts';
import { findWrites, returnsValue } from './script-effects.ts';
import type { ScriptWrite } from './script-effects.ts';
import { findGlobals } from './script-globals.ts';
import type { ForbiddenName } from './script-globals.ts';
import { findScriptTokens, holdPlaces, parseHeld, sourceOffset } from './script-source.ts';
import type { HeldSource, Span } from './script-source.ts';

/** A token in a script and what it stands in; `opensRegex` marks the first thing after a `/`. */
interface ScriptSlot {
  readonly token: Token;
  readonly place: 'string' | 'regex' | 'code';
  readonly opensRegex: boolean;
}

/** A parsed script; `tokens` are those that will be replaced. */
export interface ScriptTemplate {
  readonly source: string;
  readonly slots: readonly ScriptSlot[];
  readonly tokens: readonly Token[];
}

/** A place in a script as editors count: both from 1. */
interface ScriptPosition {
  readonly line: number;
  readonly column: number;
}

interface ParsedScript {
  readonly held: HeldSource;
  readonly program: Program;
  readonly spans: readonly Span[];
}

type SyntaxProblem = ScriptPosition & { readonly message: string };

/** Finds the tokens of a script and whether each stands in a string, a regular expression or in code (K-05, W-16). */
export function parseScript(source: string, bareNames: ReadonlySet<string>): ScriptTemplate {
  if (findScriptTokens(source, bareNames).length === 0) return { source, slots: [], tokens: [] };
  const parsed = tryParse(source, bareNames);
  if ('message' in parsed) {
    throw new ForgeError(
      'invalid_manifest',
      `The script has a syntax error in line ${parsed.line}: ${parsed.message}.`,
      {
        details: [parsed],
      },
    );
  }
  const slots = findSlots(parsed);
  return { source, slots, tokens: slots.map((slot) => slot.token) };
}

/** Fills a script. A value can never leave the literal it stands in, and a secret is refused always (K-05). */
export function expandScript(script: ScriptTemplate, scope: Scope): string {
  const chunks: string[] = [];
  let copied = 0;
  for (const slot of script.slots) {
    const { start, end } = slot.token;
    if (start > copied) chunks.push(script.source.slice(copied, start));
    const filled = fillSlot(slot, scope, chunks.at(-1)?.at(-1) ?? '', script.source.charAt(end));
    if (filled !== '') chunks.push(filled);
    copied = end;
  }
  return chunks.join('') + script.source.slice(copied);
}

export interface ScriptReport {
  /** The first syntax error, at its place in the source as written. */
  readonly problem: SyntaxProblem | null;
  /** What the script uses that a page does not have; nothing when it does not parse. */
  readonly references: readonly (ScriptPosition & { readonly name: ForbiddenName })[];
  /** Where it sends something that may change the service. */
  readonly writes: readonly (ScriptPosition & Omit<ScriptWrite, 'start'>)[];
  /** False for a script whose result is always empty. */
  readonly returns: boolean;
}

/** Reads a script once for everything a linter wants to know of it. */
export function inspectScript(source: string, bareNames: ReadonlySet<string> = new Set()): ScriptReport {
  const parsed = tryParse(source, bareNames);
  if ('message' in parsed) return unreadable(parsed);
  const { program, held } = parsed;
  const at = <T extends { start: number }>({ start, ...rest }: T) => ({
    ...rest,
    ...positionIn(source, sourceOffset(held, start)),
  });
  return {
    problem: null,
    references: findGlobals(program).map(at),
    writes: findWrites(program).map(at),
    returns: returnsValue(program),
  };
}

/** All that is known of a script that does not parse. */
export function unreadable(problem: SyntaxProblem): ScriptReport {
  return { problem, references: [], writes: [], returns: true };
}

function tryParse(source: string, bareNames: ReadonlySet<string>): ParsedScript | SyntaxProblem {
  const tokens = findScriptTokens(source, bareNames);
  const held = holdPlaces(source, tokens, true);
  try {
    return { held, ...parseHeld(held) };
  } catch (error) {
    // A bare token in /{name}/u is no valid pattern as long as it keeps its braces.
    return tryWithoutBraces(source, tokens) ?? describe(error, source, held);
  }
}

function tryWithoutBraces(source: string, tokens: readonly Token[]): ParsedScript | null {
  if (!tokens.some((token) => token.root === 'bare')) return null;
  const held = holdPlaces(source, tokens, false);
  try {
    return { held, ...parseHeld(held) };
  } catch {
    return null;
  }
}

function describe(error: unknown, source: string, held: HeldSource): SyntaxProblem {
  if (!(error instanceof SyntaxError) || !('pos' in error) || typeof error.pos !== 'number') {
    return { message: 'it is nested too deeply to be read', line: 1, column: 1 };
  }
  let message = error.message.replace(/ \([0-9]+:[0-9]+\)$/, '');
  for (const { name, token } of held.holders) message = message.replaceAll(name, token.source);
  return { message, ...positionIn(source, sourceOffset(held, error.pos)) };
}

function positionIn(source: string, offset: number): ScriptPosition {
  const { line, column } = getLineInfo(source, offset);
  return { line, column: column + 1 };
}

/** Both lists are in order, so one pass finds the span around each token. */
function findSlots({ held, spans }: ParsedScript): ScriptSlot[] {
  let index = 0;
  return held.holders.flatMap(({ token, start }): ScriptSlot[] => {
    while ((spans[index]?.end ?? Infinity) <= start) index += 1;
    const span = spans[index];
    if (!span || span.start > start) {
      // In code a bare {name} may be a block, a shorthand or a destructuring.
      return token.root === 'bare' ? [] : [{ token, place: 'code', opensRegex: false }];
    }
    if (span.kind === 'comment') return [];
    return [{ token, place: span.kind, opensRegex: span.kind === 'regex' && start === span.start + 1 }];
  });
}

function fillSlot({ token, place, opensRegex }: ScriptSlot, scope: Scope, before: string, after: string): string {
  const value = lookUp(scope, token);
  if (place === 'code') return codeLiteral(openValue(value ?? null, token, 'refuse'), before, after);
  const text = textOf(value, token, 'refuse');
  if (place === 'string') {
    return escapeForString(after === '/' && isSetting(token) ? withoutTrailingSlash(text) : text, before);
  }
  // An empty pattern would make `//`, a comment.
  return text === '' && opensRegex ? '(?:)' : escapeForRegex(text, before);
}
