import { TextProblem } from './text-problem.ts';

/** A table of the file: its header's path, and where it begins and ends. */
interface Table {
  path: string[];
  start: number;
  end: number;
}

const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BASIC = /"(?:[^"\\\n]|\\.)*"/y;
const LITERAL = /'[^'\n]*'/y;
const LONG_BASIC = /"""(?:[^\\]|\\[^])*?"""+/y;
const LONG_LITERAL = /'''[^]*?'''+/y;
const COMMENT = /#[^\n]*/y;
const STRINGS = [LONG_BASIC, LONG_LITERAL, BASIC, LITERAL];

/** The text of the table `key.name` and of those below it, or undefined. */
export function readTable(text: string, key: string, name: string): string | undefined {
  const own = tablesOf(text, key, name);
  return own.length === 0 ? undefined : own.map(({ start, end }) => text.slice(start, end)).join('');
}

/** Sets the table `key.name` and leaves every other character as it is. What was below it belongs to the old one, and goes. */
export function setTable(text: string, key: string, name: string, values: Readonly<Record<string, unknown>>): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = Object.entries(values).map(([field, value]) => `${keyText(field)} = ${valueText(value)}`);
  const table = [`[${keyText(key)}.${keyText(name)}]`, ...lines, ''].join(eol);
  const own = tablesOf(text, key, name);
  const [first] = own;
  if (first === undefined) {
    const before = text.trimEnd();
    return before === '' ? table : `${before}${eol}${eol}${table}`;
  }
  let rest = text;
  for (const { start, end } of own.toReversed()) rest = rest.slice(0, start) + rest.slice(end);
  const after = rest.slice(first.start);
  return rest.slice(0, first.start) + table + (after === '' ? '' : `${eol}${after}`);
}

/** The tables of one entry. An entry that is written in another way cannot be told apart from its surroundings here. */
function tablesOf(text: string, key: string, name: string): Table[] {
  const own: Table[] = [];
  for (const table of walk(text, key, name)) {
    const [first, second] = table.path;
    if (first === key && second === name) own.push(table);
  }
  return own;
}

/** Walks the file: headers stand at the beginning of a line, outside of texts and lists. */
function walk(text: string, key: string, name: string): Table[] {
  const tables: Table[] = [];
  let path: string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    const lineStart = at;
    at = skipBlanks(text, at);
    if (text[at] === '[') {
      const isList = text[at + 1] === '[';
      const header = readPath(text, at + (isList ? 2 : 1));
      ({ path } = header);
      const last = tables.at(-1);
      if (last !== undefined) last.end = lineStart;
      tables.push({ path, start: lineStart, end: text.length });
      const closing = isList ? ']]' : ']';
      if (!text.startsWith(closing, header.end)) throw new TextProblem(text, header.end, `${closing} is missing`);
      at = endOfLine(text, header.end + closing.length);
    } else if (text[at] !== undefined && !'#\r\n'.includes(text[at] ?? '')) {
      const field = readPath(text, at);
      if (text[field.end] !== '=') throw new TextProblem(text, field.end, '= is missing');
      const whole = [...path, ...field.path];
      const isInside = path.length < 2 && whole[0] === key && (whole.length === 1 || whole[1] === name);
      if (isInside) throw new TextProblem(text, at, `${whole.join('.')} is not a table with a header of its own`);
      at = endOfValue(text, field.end + 1);
    } else at = endOfLine(text, at);
  }
  return tables;
}

/** A dotted key, and where the first thing behind it is. */
function readPath(text: string, start: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = start;
  for (;;) {
    at = skipBlanks(text, at);
    const end = matchEnd(BARE_KEY, text, at) ?? matchEnd(BASIC, text, at) ?? matchEnd(LITERAL, text, at);
    if (end === null) throw new TextProblem(text, at, 'a key is missing');
    path.push(plainKey(text, text.slice(at, end), at));
    at = skipBlanks(text, end);
    if (text[at] !== '.') return { path, end: at };
    at += 1;
  }
}

function plainKey(text: string, written: string, at: number): string {
  if (written.startsWith("'")) return written.slice(1, -1);
  if (!written.startsWith('"')) return written;
  try {
    return String(JSON.parse(written));
  } catch {
    // TOML knows a few escapes more than JSON; nobody writes keys with them.
    throw new TextProblem(text, at, 'a key cannot be read');
  }
}

/** Behind the line on which a value ends: lists and long texts have many lines. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === '"' || char === "'") {
      const from = at;
      const end = STRINGS.map((pattern) => matchEnd(pattern, text, from)).find((found) => found !== null);
      if (end === undefined) throw new TextProblem(text, at, 'the end of a text is missing');
      at = end;
      continue;
    }
    if (char === '#') at = matchEnd(COMMENT, text, at) ?? at;
    if ('[{'.includes(char)) depth += 1;
    if (']}'.includes(char)) depth -= 1;
    at += 1;
    if (text[at - 1] === '\n' && depth <= 0) return at;
  }
  if (depth > 0) throw new TextProblem(text, start, 'a closing bracket is missing');
  return at;
}

/** Behind the end of a line on which nothing but a comment may follow. */
function endOfLine(text: string, start: number): number {
  const blanks = skipBlanks(text, start);
  const at = matchEnd(COMMENT, text, blanks) ?? blanks;
  const next = text.indexOf('\n', at);
  const end = next === -1 ? text.length : next + 1;
  if (text.slice(at, end).trim() !== '') throw new TextProblem(text, at, 'the line should end here');
  return end;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : stringText(key);
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value === 'string') return stringText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${keyText(key)} = ${valueText(one)}`)
    .join(', ')} }`;
}

/** JSON's escapes are among TOML's; the one character more that TOML wants escaped is DEL. */
function stringText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
