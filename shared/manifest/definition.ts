import { isRecord, type JsonObject, type JsonValue } from '../json.ts';
import type { Connector, ConnectorPackage } from './connector.ts';
import { hasNoEffect, isReadByName, isText, placeOf, type Path } from './definition-places.ts';

/**
 * Everything a package sends, runs and tells a model, in one form: what a person accepts and what a later version is compared with. It is
 * the expanded package without the few keys that have no effect, so that a key nobody thought of is part of it.
 */
export type Definition = Pick<ConnectorPackage, 'id' | 'name' | 'description' | 'settings'> & {
  connectors: Omit<Connector, 'icon'>[];
};

/** The definition of a package; equal definitions have equal texts. */
export function definitionOf(pack: ConnectorPackage): Definition {
  // Leaving keys out and sorting others keeps the shape.
  return canonical(pack, [], () => true) as unknown as Definition;
}

/** The same without texts: what is sent and run. It has the shape of a definition, except for them. */
export function effectOf(definition: Definition): Definition {
  return canonical(definition, [], (path) => !isText(placeOf(path))) as unknown as Definition;
}

/** The text that is kept and hashed. */
export function definitionText(definition: Definition): string {
  return JSON.stringify(definition);
}

function canonical(value: unknown, path: Path, isKept: (path: Path) => boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item, index) => canonical(item, [...path, index], isKept));
  // A package holds what YAML can say, which is JSON.
  if (!isRecord(value)) return (value ?? null) as JsonValue;
  const keys = Object.keys(value);
  if (isReadByName(placeOf(path))) keys.sort();
  const kept: [string, JsonValue][] = [];
  for (const key of keys) {
    const inside = [...path, key];
    if (value[key] === undefined || hasNoEffect(placeOf(inside)) || !isKept(inside)) continue;
    kept.push([key, canonical(value[key], inside, isKept)]);
  }
  return Object.fromEntries(kept);
}

/** One tool of a definition, with all that decides what a call of it does. */
export interface ToolParts {
  /** `jira.list_issues`. */
  id: string;
  /**
   * What it shares with every tool of its package and of its connector, itself, and the tools that its watch may run. What several tools
   * share is one object, so that it is hashed once.
   */
  parts: readonly JsonObject[];
  /** The names of the tools its watch may run. */
  chained: readonly string[];
}

/** The parts of every tool of a definition. */
export function toolsIn({ connectors, name: _name, description: _about, ...shared }: Definition): ToolParts[] {
  // A definition is made of JSON.
  const ofPackage = shared as unknown as JsonObject;
  return connectors.flatMap(({ tools: named, ...rest }) => {
    const ofConnector = rest as unknown as JsonObject;
    const tools = named as unknown as Readonly<Record<string, JsonObject>>;
    const next = new Map(Object.keys(tools).map((name) => [name, nextTools(name, tools)]));
    return Object.entries(tools).map(([name, tool]) => {
      const chained = reachable(name, next);
      const others = chained.map((other) => tools[other] ?? {});
      return { id: `${rest.id}.${name}`, parts: [ofPackage, ofConnector, tool, ...others], chained };
    });
  });
}

/** The tools of the same connector that stand anywhere in a tool's watch. */
function nextTools(name: string, tools: Readonly<Record<string, JsonObject>>): string[] {
  return textsIn(tools[name]?.['async']).filter((text) => Object.hasOwn(tools, text));
}

/** Those, and the ones that theirs may run, in order of their names. */
function reachable(from: string, next: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set<string>();
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const other of next.get(name) ?? []) {
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return [...found].sort();
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}
