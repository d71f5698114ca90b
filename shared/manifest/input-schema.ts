import { briefValue } from '../brief-value.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { INSTANCES_FIELD, instanceFields, type Connector, type ConnectorPackage, type Tool } from './connector.ts';
import type { Parameter } from './schema/tool.ts';

const INSTANCE_HELP = `Which of the configured ${INSTANCES_FIELD} to use, by name. Left out: the first one.`;

/** Every tool of a connector repeats the names, and models read all of them. */
const MAX_NAMES_CHARS = 1000;
const SHOWN_NAMES = 5;

/** JSON Schema types per parameter type; `json` takes anything, as models hand over both objects and their text. */
const TYPES: Record<NonNullable<Parameter['type']>, JsonObject> = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  select: {},
  json: {},
  object: { type: 'object' },
  array: { type: 'array', items: {} },
  file: { type: 'string' },
};

const FILE_FORMS =
  'A file: an absolute path on this computer, the handle of a kept result (res_…), or forge://files/<id> for a file that a call brought back. A person may be asked first.';

/** The JSON Schema of a tool's arguments, as models and clients get it. `instances` are the names of the configured rows. */
export function inputSchema(
  tool: Tool,
  settings: ConnectorPackage['settings'],
  instances: readonly string[] = [],
): JsonObject {
  const entries = Object.entries(tool.parameters);
  const properties: Record<string, JsonObject> = Object.fromEntries(
    entries.map(([name, parameter]) => [name, parameterSchema(parameter)]),
  );
  // A tool may describe the parameter in its own words; it chooses the row all the same.
  if (instanceFields(settings) !== null)
    properties['instance'] = { ...instanceSchema(instances), ...properties['instance'] };
  const required = entries
    .filter(
      ([name, parameter]) =>
        parameter.required === true && parameter.default === undefined && !hasFallback(name, settings),
    )
    .map(([name]) => name);
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false };
}

/** The implicit parameter of every tool of a multi-instance connector. */
function instanceSchema(names: readonly string[]): JsonObject {
  if (names.length === 0) return { type: 'string', description: INSTANCE_HELP };
  if (JSON.stringify(names).length <= MAX_NAMES_CHARS)
    return { type: 'string', enum: [...names], description: INSTANCE_HELP };
  const shown = names.slice(0, SHOWN_NAMES).map((name) => briefValue(name));
  const more = names.length - shown.length;
  const rest = more === 0 ? '' : ` and ${more} more`;
  return { type: 'string', description: `${INSTANCE_HELP} There are ${shown.join(', ')}${rest}.` };
}

/** A setting called `default_<param>` stands in for an argument that is left out. */
function hasFallback(name: string, settings: ConnectorPackage['settings']): boolean {
  const fallback = `default_${name}`;
  return Object.hasOwn(settings, fallback) || Object.hasOwn(instanceFields(settings) ?? {}, fallback);
}

function parameterSchema(parameter: Tool['parameters'][string]): JsonObject {
  const description = [
    parameter.description ?? parameter.label,
    parameter.help,
    parameter.type === 'file' ? FILE_FORMS : '',
  ]
    .filter(Boolean)
    .join(' ');
  return {
    ...TYPES[parameter.type],
    ...(parameter.options === undefined ? {} : { ...optionTypes(parameter.options), enum: parameter.options }),
    ...(description === '' ? {} : { description }),
    // A default in a manifest is plain YAML, which is JSON.
    ...(parameter.default === undefined ? {} : { default: parameter.default as JsonValue }),
  };
}

/** The types of the options: clients and providers of models refuse an enum without. */
function optionTypes(options: readonly unknown[]): JsonObject {
  const types = [...new Set(options.map((option) => (Number.isInteger(option) ? 'integer' : typeof option)))];
  const [only] = types;
  return only === undefined ? {} : { type: types.length === 1 ? only : types };
}

/** `jira.list_my_issues`, the id a caller uses. */
export function toolId(connector: Connector, tool: Tool): string {
  return `${connector.id}.${tool.name}`;
}

/** `jira__list_my_issues`: models accept no dots in names. */
export function toolLlmName(connector: Connector, tool: Tool): string {
  return `${connector.id}__${tool.name}`;
}
