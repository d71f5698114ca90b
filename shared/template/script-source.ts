import { tokTypes } from 'acorn';
import type { Comment, Program, Token as SourceToken } from 'acorn';
import { findTokens } from './parse.ts';
import type { Token } from './parse.ts';
import { parseProgram } from './script-parser.ts';

/** A script in which every token has been replaced by an identifier, so that a JavaScript parser can read it. */
export interface HeldSource {
  readonly text: string;
  readonly holders: readonly Holder[];
}

interface Holder {
  readonly token: Token;
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** A stretch of a script that is not plain code. */
export interface Span {
  readonly kind: 'string' | 'regex' | 'comment';
  readonly start: number;
  readonly end: number;
}

/** Finds what may be a token in a script: `${…}` is JavaScript, `\{` is an escaped brace, and `result` and `poll` are ordinary names (K-05). */
export function findScriptTokens(source: string, bareNames: ReadonlySet<string>): Token[] {
  return Array.from(findTokens(source, bareNames, opensToken)).filter(
    (token) => token.root === 'settings' || token.root === 'args' || token.root === 'bare',
  );
}

/**
 * Puts identifiers in the place of tokens. With `keepBraces` a bare `{name}` keeps its braces, because in code it may be a block, a
 * shorthand or a destructuring.
 */
export function holdPlaces(source: string, tokens: readonly Token[], keepBraces: boolean): HeldSource {
  const prefix = unusedPrefix(source);
  const holders: Holder[] = [];
  let text = '';
  let copied = 0;
  for (const [index, token] of tokens.entries()) {
    const name = `${prefix}${index}_`;
    text += source.slice(copied, token.start);
    const start = text.length;
    text += keepBraces && token.root === 'bare' ? `{${name}}` : name;
    holders.push({ token, start, end: text.length, name });
    copied = token.end;
  }
  return { text: text + source.slice(copied), holders };
}

/** Parses a script as the body of an async function. */
export function parseHeld(held: HeldSource): { program: Program; spans: Span[] } {
  const comments: Comment[] = [];
  const tokens: SourceToken[] = [];
  const program = parseProgram(held.text, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowHashBang: false,
    onComment: comments,
    onToken: tokens,
  });
  const spans = tokens.flatMap((token): Span[] => {
    const kind = spanKind(token);
    return kind ? [{ kind, start: token.start, end: token.end }] : [];
  });
  spans.push(...comments.map(({ start, end }): Span => ({ kind: 'comment', start, end })));
  return { program, spans: spans.sort((a, b) => a.start - b.start) };
}

/** Translates an offset in the held text back to the source. */
export function sourceOffset(held: HeldSource, offset: number): number {
  let shift = 0;
  for (const { token, start, end } of held.holders) {
    if (offset < start) break;
    if (offset < end) return token.start;
    shift = token.end - end;
  }
  return offset + shift;
}

function spanKind(token: SourceToken): Span['kind'] | null {
  if (token.type === tokTypes.string || token.type === tokTypes.template || token.type === tokTypes.invalidTemplate) {
    return 'string';
  }
  return token.type === tokTypes.regexp ? 'regex' : null;
}

function opensToken(source: string, brace: number): boolean {
  if (source[brace - 1] === '$') return false;
  let backslashes = 0;
  while (source[brace - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 0;
}

function unusedPrefix(source: string): string {
  const used = new Set(Array.from(source.matchAll(/forge_([0-9]+)_/g), (match) => match[1]));
  let number = 0;
  while (used.has(String(number))) number += 1;
  return `forge_${number}_`;
}
