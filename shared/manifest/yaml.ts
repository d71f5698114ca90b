import {
  CORE_SCHEMA,
  EVENT_ID,
  SCALAR_STYLE,
  YAMLException,
  constructFromEvents,
  getScalarValue,
  mergeTag,
  parseEvents,
  type Event,
  type ScalarEvent,
} from 'js-yaml';
import { isForbiddenKey } from '../json.ts';
import type { Diagnostic, Finding } from './diagnostic.ts';
import { formatPath } from './diagnostic.ts';
import { unshared } from './unshared.ts';

const MAX_DEPTH = 64;
/** Counted with aliases written out, which is what every later stage would have to walk. */
const MAX_NODES = 20_000;

interface Entry {
  start: number;
  end: number;
  node: YamlNode;
}

/** Where the parts of a document stand in its text; values come from js-yaml itself. */
interface YamlNode {
  start: number;
  end: number;
  /** Set for `|` and `>` blocks: how far their lines are indented. */
  blockIndent: number | null;
  size: number;
  children: Map<string, Entry> | null;
}

interface YamlDocument {
  value: unknown;
  /** Places a finding in the text: the nearest existing ancestor when the path itself is not written there. */
  place(finding: Finding): Diagnostic;
}

export type YamlResult = { ok: true; document: YamlDocument } | { ok: false; diagnostic: Diagnostic };

const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/** Reads one YAML document and remembers where everything in it stands. Never throws. */
export function readYaml(text: string): YamlResult {
  const lines = lineStarts(text);
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    // Every value is one event or two, so this stops a flood before a tree of it is built.
    if (events.length > 2 * MAX_NODES) throw tooManyValues(0);
    const root = buildTree(text, events);
    if (root === null) throw new PlacedError('the document is empty', 0, 'Start with id, name, version and tools.');
    const [value] = constructFromEvents(events, { source: text, schema: SCHEMA });
    const place = (finding: Finding) => placeFinding(text, lines, root, finding);
    return { ok: true, document: { value: unshared(value), place } };
  } catch (error) {
    return { ok: false, diagnostic: syntaxDiagnostic(error, text, lines) };
  }
}

class PlacedError extends Error {
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

function tooManyValues(offset: number): PlacedError {
  return new PlacedError(
    `more than ${MAX_NODES} values once aliases are written out`,
    offset,
    'Split the connector, or use fewer aliases.',
  );
}

/** Turns the flat event stream into a tree of ranges, counting nodes so that aliases cannot multiply without end. */
function buildTree(text: string, events: readonly Event[]): YamlNode | null {
  const anchors = new Map<string, YamlNode>();
  let index = 0;
  let documents = 0;

  const next = (): Event => {
    const event = events[index];
    index += 1;
    if (event === undefined) throw new PlacedError('the document ends too early', text.length);
    return event;
  };

  const readNode = (event: Event): YamlNode => {
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return remember(event, scalarNode(text, event));
      case EVENT_ID.ALIAS: {
        const name = text.slice(event.anchorStart, event.anchorEnd);
        const target = anchors.get(name);
        if (target === undefined) throw new PlacedError(`unknown alias \`*${name}\``, event.anchorStart);
        return { ...target, start: event.anchorStart, end: event.anchorEnd };
      }
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        return remember(event, event.type === EVENT_ID.MAPPING ? readMapping(event.start) : readSequence(event.start));
      default:
        throw new PlacedError('the document is not well formed', 0);
    }
  };

  const remember = (event: { anchorStart: number; anchorEnd: number }, node: YamlNode): YamlNode => {
    if (event.anchorStart >= 0) anchors.set(text.slice(event.anchorStart, event.anchorEnd), node);
    return node;
  };

  const collection = (start: number, children: Map<string, Entry>): YamlNode => {
    let size = 1;
    for (const child of children.values()) size += child.node.size;
    if (size > MAX_NODES) throw tooManyValues(start);
    return { start, end: start + 1, blockIndent: null, size, children };
  };

  const readSequence = (start: number): YamlNode => {
    const children = new Map<string, Entry>();
    for (let event = next(); event.type !== EVENT_ID.POP; event = next()) {
      const node = readNode(event);
      children.set(String(children.size), { start: node.start, end: node.end, node });
    }
    return collection(start, children);
  };

  const readMapping = (start: number): YamlNode => {
    const children = new Map<string, Entry>();
    for (let event = next(); event.type !== EVENT_ID.POP; event = next()) {
      if (event.type !== EVENT_ID.SCALAR) throw new PlacedError('a key must be plain text', start);
      const key = getScalarValue(text, event);
      const range = scalarNode(text, event);
      if (isForbiddenKey(key))
        throw new PlacedError(`\`${key}\` is not allowed as a key`, range.start, 'Choose another name.');
      children.set(key, { start: range.start, end: range.end, node: readNode(next()) });
    }
    return collection(start, children);
  };

  let root: YamlNode | null = null;
  while (index < events.length) {
    const event = next();
    if (event.type === EVENT_ID.DOCUMENT) {
      documents += 1;
      if (documents > 1) throw new PlacedError('more than one document', text.length, 'Keep one manifest per file.');
    } else if (event.type !== EVENT_ID.POP) {
      root = readNode(event);
    }
  }
  return root;
}

function scalarNode(text: string, event: ScalarEvent): YamlNode {
  const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
  const start = Math.max(0, event.valueStart);
  const firstLineEnd = text.indexOf('\n', start);
  const end = Math.max(start, event.valueEnd);
  return {
    start,
    end: firstLineEnd >= 0 ? Math.min(end, firstLineEnd) : end,
    blockIndent: isBlock ? Math.max(0, event.indent) : null,
    size: 1,
    children: null,
  };
}

function placeFinding(text: string, lines: readonly number[], root: YamlNode, finding: Finding): Diagnostic {
  let node = root;
  let range = { start: root.start, end: root.end };
  let depth = 0;
  for (const key of finding.path) {
    const entry = node.children?.get(key);
    if (entry === undefined) break;
    depth += 1;
    const isLast = depth === finding.path.length;
    range = isLast && finding.at !== 'key' ? { start: entry.node.start, end: entry.node.end } : entry;
    node = entry.node;
  }
  const { at: _at, within, path, ...rest } = finding;
  const base = { ...rest, path: formatPath(path) };
  if (within !== undefined && depth === path.length) {
    const startLine = lineOf(lines, node.start);
    if (node.blockIndent !== null) {
      const column = within.column + node.blockIndent;
      return { ...base, line: startLine + within.line - 1, column, endColumn: column + 1 };
    }
    if (within.line === 1) {
      const column = node.start - (lines[startLine - 1] ?? 0) + within.column;
      return { ...base, line: startLine, column, endColumn: column + 1 };
    }
  }
  return { ...base, ...rangeAt(text, lines, range.start, range.end) };
}

function rangeAt(text: string, lines: readonly number[], start: number, end: number) {
  const line = lineOf(lines, start);
  const lineStart = lines[line - 1] ?? 0;
  const column = start - lineStart + 1;
  const lineEnd = text.indexOf('\n', start);
  const lastColumn = (lineEnd < 0 ? text.length : lineEnd) - lineStart + 1;
  return { line, column, endColumn: Math.max(column + 1, Math.min(end - lineStart + 1, lastColumn)) };
}

function syntaxDiagnostic(error: unknown, text: string, lines: readonly number[]): Diagnostic {
  const base = { severity: 'error', rule: 'yaml', path: '' } as const;
  if (error instanceof PlacedError) {
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    return { ...base, message: error.message, ...hint, ...rangeAt(text, lines, error.offset, error.offset + 1) };
  }
  if (error instanceof YAMLException) {
    const offset = Math.min(error.mark?.position ?? 0, text.length);
    const hint = yamlHint(error.reason);
    return { ...base, message: error.reason, ...(hint ? { hint } : {}), ...rangeAt(text, lines, offset, offset + 1) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { ...base, message: `the document cannot be read: ${message}`, line: 1, column: 1, endColumn: 2 };
}

function yamlHint(reason: string): string | null {
  if (/tab character/i.test(reason)) return 'Indent with spaces.';
  if (/duplicated mapping key/i.test(reason)) return 'Keep one of the two; the other would be lost.';
  if (/depth|nest/i.test(reason)) return `Nest at most ${MAX_DEPTH} levels deep.`;
  return null;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  return starts;
}

/** Binary search: documents may have many thousand lines and as many findings. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
