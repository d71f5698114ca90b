import { isRecord, type JsonObject, type JsonValue } from '../../../shared/json.ts';
import type { Tool } from '../../../shared/manifest/connector.ts';

/** Keywords that describe; none of them can make a result invalid. */
const DESCRIBING = ['title', 'description'] as const;

/**
 * What a tool returns, where its manifest says so. It describes and forbids nothing: services leave fields out, answer null, or put an
 * error in another shape, and a client that checks results must not drop them for it. Results stand under `result`, since they may be lists.
 */
export function outputSchema(tool: Tool): JsonObject | null {
  const fields = tool.response_fields;
  if (fields === undefined && tool.returns === undefined) return null;
  const described = describedBy(tool.returns);
  const names = fields === undefined ? [] : Array.isArray(fields) ? fields : Object.keys(fields);
  const result = fields === undefined ? described : { ...described, ...itemsOrNot(tool, shapeOf(names)) };
  return { type: 'object', properties: { result }, required: ['result'] };
}

/** With a path to the items, the result is a list of what the fields say. */
function itemsOrNot(tool: Tool, shape: JsonObject): JsonObject {
  return tool.items_path === undefined ? shape : { items: shape };
}

/** A manifest may describe what comes back in words, or as a JSON Schema. */
function describedBy(returns: unknown): JsonObject {
  if (typeof returns === 'string') return { description: returns };
  return isRecord(returns) ? lenient(returns) : {};
}

function lenient(schema: Record<string, unknown>): JsonObject {
  const kept: JsonObject = {};
  for (const keyword of DESCRIBING) {
    const text = schema[keyword];
    if (typeof text === 'string') kept[keyword] = text;
  }
  const { properties, items } = schema;
  if (isRecord(properties)) {
    kept['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, value]): [string, JsonValue] => [
        name,
        isRecord(value) ? lenient(value) : {},
      ]),
    );
  }
  if (isRecord(items)) kept['items'] = lenient(items);
  return kept;
}

interface Shape {
  fields: Map<string, Shape>;
  isList: boolean;
}

/** Lays paths such as `user.name` and `labels[].title` over each other. */
function shapeOf(paths: readonly string[]): JsonObject {
  const root: Shape = { fields: new Map(), isList: false };
  for (const path of paths) {
    let at = root;
    for (const step of path.split('.')) {
      const name = step.replace(/\[\d*\]/g, '').trim();
      if (name === '') {
        at.isList = true;
        continue;
      }
      let child = at.fields.get(name);
      if (child === undefined) at.fields.set(name, (child = { fields: new Map(), isList: false }));
      child.isList ||= step.includes('[');
      at = child;
    }
  }
  return schemaOf(root);
}

function schemaOf({ fields, isList }: Shape): JsonObject {
  const properties = Object.fromEntries(Array.from(fields, ([name, shape]) => [name, schemaOf(shape)]));
  const schema: JsonObject = fields.size === 0 ? {} : { properties };
  return isList ? { items: schema } : schema;
}
