import { TextProblem } from './text-problem.ts';

/** A place in a text: where a value begins, and where it ends. */
interface Span {
  start: number;
  end: number;
}

interface Member extends Span {
  key: string;
}

/** What stands between the braces of an object. */
interface ObjectSpan extends Span {
  members: Member[];
  /** Behind the last value, or behind the brace. */
  insertAt: number;
  hasTrailingComma: boolean;
}

/** How the file is laid out. */
interface Style {
  indent: string;
  eol: string;
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y;
const BLANK = /\s+/y;
const BLANK_OR_COMMENT = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;

interface EditOptions {
  /** Comments and commas behind the last member are part of the format. */
  hasComments: boolean;
}

/** The value at `key` → `name`, or undefined. */
export function readEntry(text: string, key: string, name: string, { hasComments }: EditOptions): unknown {
  const reader = new Reader(text, hasComments);
  const outer = reader.root().members.find((member) => member.key === key);
  if (outer === undefined) return undefined;
  const inner = reader.objectAt(outer.start, key).members.find((member) => member.key === name);
  return inner === undefined ? undefined : (JSON.parse(reader.withoutComments(inner)) as unknown);
}

/**
 * Sets `key` → `name` in the text of a JSON object and leaves every other character as it is: what a person has arranged, and numbers and
 * duplicates that would not survive being read and written.
 */
export function setEntry(
  text: string,
  key: string,
  name: string,
  value: unknown,
  { hasComments }: EditOptions,
): string {
  if (text.trim() === '') return `${JSON.stringify({ [key]: { [name]: value } }, null, 2)}\n`;
  const reader = new Reader(text, hasComments);
  const root = reader.root();
  const style: Style = { indent: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' };
  const outer = root.members.find((member) => member.key === key);
  if (outer === undefined) return insert(text, root, key, { [name]: value }, style, 1);
  const servers = reader.objectAt(outer.start, key);
  const inner = servers.members.find((member) => member.key === name);
  if (inner === undefined) return insert(text, servers, name, value, style, 2);
  return text.slice(0, inner.start) + format(value, style, 2) + text.slice(inner.end);
}

function insert(text: string, into: ObjectSpan, key: string, value: unknown, style: Style, depth: number): string {
  const { members, insertAt, hasTrailingComma, end } = into;
  const { indent, eol } = style;
  const brace = end - 1;
  // Behind everything that belongs to the last member, a comment included.
  const at = text.slice(0, brace).trimEnd().length;
  const comma = members.length === 0 || hasTrailingComma ? '' : ',';
  const member = `${eol}${indent.repeat(depth)}${JSON.stringify(key)}: ${format(value, style, depth)}`;
  const gap = text.slice(at, brace);
  const closing = gap.includes('\n') ? gap : `${eol}${indent.repeat(depth - 1)}`;
  return [text.slice(0, insertAt), comma, text.slice(insertAt, at), member, closing, text.slice(brace)].join('');
}

function format(value: unknown, { indent, eol }: Style, depth: number): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `${eol}${indent.repeat(depth)}`);
}

/** Walks a JSON text and remembers where things are. Keys count as they are read: the last of two with one name is the one that holds. */
class Reader {
  readonly #text: string;
  readonly #hasComments: boolean;

  constructor(text: string, hasComments: boolean) {
    this.#text = text;
    this.#hasComments = hasComments;
  }

  root(): ObjectSpan {
    const start = this.#skip(this.#text.startsWith('\ufeff') ? 1 : 0);
    const root = this.objectAt(start, 'the file');
    const after = this.#skip(root.end);
    if (after < this.#text.length) throw this.#problem(after, 'there is something behind the end of the object');
    if (!this.#hasComments && !isJson(this.#text.slice(start))) throw this.#problem(start, 'a value cannot be read');
    return root;
  }

  objectAt(start: number, what: string): ObjectSpan {
    if (this.#text[start] !== '{') throw this.#problem(start, `${what} is not an object`);
    const members: Member[] = [];
    let at = this.#skip(start + 1);
    let insertAt = start + 1;
    let hasTrailingComma = false;
    while (this.#text[at] !== '}') {
      const keyEnd = this.#match(STRING, at, 'a name in double quotes');
      const key = JSON.parse(this.#text.slice(at, keyEnd)) as string; // a string, by the pattern
      const colon = this.#skip(keyEnd);
      if (this.#text[colon] !== ':') throw this.#problem(colon, 'a colon is missing');
      const valueStart = this.#skip(colon + 1);
      const end = this.#value(valueStart);
      members.push({ key, start: valueStart, end });
      insertAt = end;
      at = this.#separator(end, '}');
      hasTrailingComma = this.#text[at] === '}' && this.#text[this.#skip(end)] === ',';
    }
    return { start, end: at + 1, members: members.reverse(), insertAt, hasTrailingComma };
  }

  withoutComments({ start, end }: Span): string {
    const text = this.#text.slice(start, end);
    if (!this.#hasComments) return text;
    return text
      .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_all, quoted: string | undefined) => quoted ?? '')
      .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_all, quoted: string | undefined) => quoted ?? '');
  }

  /** The end of the value that begins here. */
  #value(start: number): number {
    const first = this.#text[start];
    if (first === '{') return this.objectAt(start, '').end;
    if (first === '"') return this.#match(STRING, start, 'the end of a text');
    if (first !== '[') return this.#match(SCALAR, start, 'a value');
    let at = this.#skip(start + 1);
    while (this.#text[at] !== ']') at = this.#separator(this.#value(at), ']');
    return at + 1;
  }

  /** From behind a value to the next one, or to the bracket that closes. */
  #separator(end: number, closing: string): number {
    const at = this.#skip(end);
    if (this.#text[at] === closing) return at;
    if (this.#text[at] !== ',') throw this.#problem(at, 'a comma or a closing bracket is missing');
    const next = this.#skip(at + 1);
    if (this.#text[next] === closing && !this.#hasComments) throw this.#problem(at, 'there is a comma too many');
    return next;
  }

  #skip(at: number): number {
    const pattern = this.#hasComments ? BLANK_OR_COMMENT : BLANK;
    pattern.lastIndex = at;
    return pattern.test(this.#text) ? pattern.lastIndex : at;
  }

  #match(pattern: RegExp, at: number, what: string): number {
    pattern.lastIndex = at;
    if (!pattern.test(this.#text)) throw this.#problem(at, `${what} is missing`);
    return pattern.lastIndex;
  }

  #problem(at: number, message: string): TextProblem {
    return new TextProblem(this.#text, at, message);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Why does not matter: the walk before it has told everything that has a place.
    return false;
  }
}
