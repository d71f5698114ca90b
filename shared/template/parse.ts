import { ForgeError } from '../errors.ts';
import { isForbiddenKey } from '../json.ts';

type TokenRoot = 'settings' | 'args' | 'result' | 'poll' | 'captured' | 'bare';

/** One `{…}` that stands for a value; `start` and `end` are offsets into the template's source, braces included. */
export interface Token {
  readonly root: TokenRoot;
  readonly path: readonly string[];
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

export type Part = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'token'; readonly token: Token };

/** A parsed template string: the parts, joined, are the source again. */
export interface Template {
  readonly source: string;
  readonly parts: readonly Part[];
}

type DottedRoot = Exclude<TokenRoot, 'bare'>;

const DOTTED_ROOTS: ReadonlySet<string> = new Set<DottedRoot>(['settings', 'args', 'result', 'poll', 'captured']);

// Sticky and without alternatives, so that reading a name never looks at a character twice.
const NAME = /[\p{L}\p{N}_$-]*/uy;
const DIGITS = /[0-9]*/y;

/** Splits a template string into text and tokens; a brace that opens no token stays text (K-04). */
export function parseTemplate(source: string, bareNames: ReadonlySet<string>): Template {
  const parts: Part[] = [];
  let textStart = 0;
  for (const token of findTokens(source, bareNames)) {
    if (token.start > textStart) parts.push({ kind: 'text', text: source.slice(textStart, token.start) });
    parts.push({ kind: 'token', token });
    textStart = token.end;
  }
  if (textStart < source.length) parts.push({ kind: 'text', text: source.slice(textStart) });
  return { source, parts };
}

/** Finds the tokens of a source in order; `isOpening` lets a caller rule out braces that mean something else there. */
export function* findTokens(
  source: string,
  bareNames: ReadonlySet<string>,
  isOpening: (source: string, brace: number) => boolean = () => true,
): Generator<Token> {
  let at = source.indexOf('{');
  while (at !== -1) {
    const token = isOpening(source, at) ? readToken(source, at, bareNames) : null;
    if (token) yield token;
    at = source.indexOf('{', token ? token.end : at + 1);
  }
}

/** The tokens of a template in order, for whoever needs to know what it uses. */
export function tokensIn(template: Template): Token[] {
  return template.parts.flatMap((part) => (part.kind === 'token' ? [part.token] : []));
}

/** The token a template consists of, or null when it has text or more tokens. */
export function onlyToken(template: Template): Token | null {
  const [part, ...rest] = template.parts;
  return part?.kind === 'token' && rest.length === 0 ? part.token : null;
}

function readToken(source: string, start: number, bareNames: ReadonlySet<string>): Token | null {
  const nameEnd = matchEnd(NAME, source, start + 1);
  const name = source.slice(start + 1, nameEnd);
  if (source[nameEnd] === '}') {
    return bareNames.has(name) ? makeToken('bare', [name], source, start, nameEnd + 1) : null;
  }
  if (!isDottedRoot(name)) return null;
  const path: string[] = [];
  let at = nameEnd;
  while (source[at] !== '}') {
    const segment = readSegment(source, at);
    if (!segment) return null;
    path.push(segment.name);
    at = segment.end;
  }
  return makeToken(name, path, source, start, at + 1);
}

/** Reads `.name` or `[0]` at an offset. */
function readSegment(source: string, at: number): { name: string; end: number } | null {
  if (source[at] === '.') {
    const end = matchEnd(NAME, source, at + 1);
    return end > at + 1 ? { name: source.slice(at + 1, end), end } : null;
  }
  if (source[at] === '[') {
    const end = matchEnd(DIGITS, source, at + 1);
    return end > at + 1 && source[end] === ']' ? { name: source.slice(at + 1, end), end: end + 1 } : null;
  }
  return null;
}

function makeToken(root: TokenRoot, path: string[], source: string, start: number, end: number): Token {
  const written = source.slice(start, end);
  const forbidden = path.find(isForbiddenKey);
  if (forbidden !== undefined) {
    throw new ForgeError('unsafe_value', `The template ${written} may not use the name "${forbidden}".`, {
      hint: 'Rename the field; __proto__, constructor and prototype cannot be used in a template.',
    });
  }
  return { root, path, source: written, start, end };
}

function isDottedRoot(name: string): name is DottedRoot {
  return DOTTED_ROOTS.has(name);
}

function matchEnd(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(source)?.[0].length ?? 0);
}
