import { isRecord, type JsonValue } from '../json.ts';
import { commandLine } from './command-line.ts';
import { isReadByName, isText, patternOf, type Path, type Place } from './definition-places.ts';
import { placeText, wordsFor } from './definition-words.ts';
import { definitionText, type Definition } from './definition.ts';
import { withRealHosts } from './shown-origin.ts';

/** One place in which two definitions differ. */
export interface DefinitionChange {
  /** `jira.add_comment`; null for what belongs to the connector itself. */
  tool: string | null;
  /** As the manifest has it: `request.method`. */
  place: string;
  /** In words, where there are some. */
  words: string;
  kind: 'added' | 'removed' | 'changed';
  /** `effect`: what is sent or run may differ. `text`: only what models and people read does. `less`: a tool is gone. */
  weight: 'effect' | 'text' | 'less';
  before: string | null;
  after: string | null;
}

/** A part of a definition that is compared by itself. */
interface Unit {
  scope: Place['scope'];
  tool: string | null;
  /** Put before places of a bundle's connectors, of which there are several. */
  prefix: string;
  value: JsonValue;
}

interface Leaf {
  path: Path;
  value: JsonValue;
}

/** Every place in which they differ; effects first. Empty only if they are equal. `before` is null for a first install. */
export function diffDefinitions(before: Definition | null, after: Definition): DefinitionChange[] {
  const old = before === null ? new Map<string, Unit>() : unitsOf(before);
  const now = unitsOf(after);
  const changes = [...new Set([...now.keys(), ...old.keys()])].flatMap((key) => diffUnit(old.get(key), now.get(key)));
  // What this comparison cannot name is a difference all the same.
  if (changes.length === 0 && before !== null && definitionText(before) !== definitionText(after))
    changes.push({ ...UNNAMED, before: definitionText(before), after: definitionText(after) });
  return changes.sort((one, other) => WEIGHTS[one.weight] - WEIGHTS[other.weight]);
}

const WEIGHTS = { effect: 0, text: 1, less: 2 };
const UNNAMED = { tool: null, place: '', words: 'The definition', kind: 'changed', weight: 'effect' } as const;

function unitsOf({ connectors, ...rest }: Definition): Map<string, Unit> {
  const ids = connectors.map(({ id }) => id);
  // Which connector comes first decides whose test is run.
  const own = { ...rest, ...(ids.length > 1 || ids[0] !== rest.id ? { connectors: ids } : {}) };
  const units = new Map<string, Unit>([['package', { scope: 'package', tool: null, prefix: '', value: json(own) }]]);
  for (const { tools, ...connector } of connectors) {
    const prefix = ids.length > 1 ? `${connector.id}.` : '';
    units.set(`connector ${connector.id}`, { scope: 'connector', tool: null, prefix, value: json(connector) });
    for (const [name, tool] of Object.entries(tools))
      units.set(`tool ${connector.id}.${name}`, {
        ...{ scope: 'tool', tool: `${connector.id}.${name}`, prefix: '' },
        value: json(tool),
      });
  }
  return units;
}

/** Definitions are made of JSON. */
function json(value: unknown): JsonValue {
  return value as JsonValue;
}

function diffUnit(old: Unit | undefined, now: Unit | undefined): DefinitionChange[] {
  const unit = now ?? old;
  if (unit === undefined) return [];
  if (now === undefined && unit.tool !== null) return [{ ...GONE, tool: unit.tool }];
  const before = leavesOf(old?.value);
  const after = leavesOf(now?.value);
  const changed = [...new Set([...after.keys(), ...before.keys()])].flatMap((key) =>
    diffLeaf(unit, before.get(key), after.get(key)),
  );
  return [...changed, ...diffOrder(unit, old?.value, now?.value, [])];
}

const GONE = { place: '', words: 'The tool', kind: 'removed', weight: 'less', before: null, after: null } as const;

function diffLeaf(unit: Unit, old: Leaf | undefined, now: Leaf | undefined): DefinitionChange[] {
  const rest = (now ?? old)?.path ?? [];
  // Most are plain values and the same.
  if (old !== undefined && old.value === now?.value) return [];
  if (old !== undefined && now !== undefined && JSON.stringify(old.value) === JSON.stringify(now.value)) return [];
  const place: Place = { scope: unit.scope, rest };
  const texts = [old, now].map((leaf) => (leaf === undefined ? null : textOf(leaf.value, place)));
  // 1 and "1" are two values that read alike.
  const [before = null, after = null] =
    texts[0] === texts[1] ? [old, now].map((leaf) => JSON.stringify(leaf?.value)) : texts;
  return [
    {
      ...{ tool: unit.tool, place: unit.prefix + placeText(rest), words: unit.prefix + wordsFor(place) },
      kind: old === undefined ? 'added' : now === undefined ? 'removed' : 'changed',
      weight: isText(place) ? 'text' : 'effect',
      ...{ before, after },
    },
  ];
}

function textOf(value: JsonValue, place: Place): string {
  if (typeof value === 'string') return withRealHosts(value);
  if (Array.isArray(value) && COMMANDS.has(patternOf(place)))
    return commandLine(value.map((item) => json(item) as string));
  return JSON.stringify(value);
}

const COMMANDS: ReadonlySet<string> = new Set(['tool.command']);

/** Values by their places. A list of plain values is one value: its parts mean little alone. */
function leavesOf(value: JsonValue | undefined): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const walk = (inner: JsonValue, path: Path): void => {
    const entries = entriesOf(inner);
    if (entries === null || entries.length === 0) leaves.set(JSON.stringify(path), { path, value: inner });
    else for (const [step, item] of entries) walk(item, [...path, step]);
  };
  if (value !== undefined) walk(value, []);
  return leaves;
}

function entriesOf(value: JsonValue): [string | number, JsonValue][] | null {
  if (Array.isArray(value)) {
    const isPlain = value.every((item) => typeof item !== 'object' || item === null);
    return isPlain ? null : value.map((item, index) => [index, item]);
  }
  return isRecord(value) ? Object.entries(value) : null;
}

/** Keys that stand in another order, where their order may matter. */
function diffOrder(unit: Unit, old: JsonValue | undefined, now: JsonValue | undefined, rest: Path): DefinitionChange[] {
  if (Array.isArray(old) && Array.isArray(now))
    return now.flatMap((item, index) => diffOrder(unit, old[index], item, [...rest, index]));
  if (!isRecord(old) || !isRecord(now)) return [];
  const place: Place = { scope: unit.scope, rest };
  const inside = Object.keys(now).flatMap((key) => diffOrder(unit, json(old[key]), json(now[key]), [...rest, key]));
  if (isReadByName(place)) return inside;
  const before = Object.keys(old).filter((key) => Object.hasOwn(now, key));
  const after = Object.keys(now).filter((key) => Object.hasOwn(old, key));
  if (before.join('\0') === after.join('\0')) return inside;
  const own: DefinitionChange = {
    ...{ tool: unit.tool, place: unit.prefix + placeText(rest), words: `Order of ${wordsFor(place)}` },
    ...{ kind: 'changed', weight: 'effect', before: before.join(', '), after: after.join(', ') },
  };
  return [own, ...inside];
}
