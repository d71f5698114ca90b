import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { briefValue } from '../../shared/brief-value.ts';
import { ForgeError } from '../../shared/errors.ts';
import { isForbiddenKey, isRecord, ownValue } from '../../shared/json.ts';
import type { ConnectorPackage, Tool } from '../../shared/manifest/connector.ts';
import { inputSchema } from '../../shared/manifest/input-schema.ts';

/** Arguments that passed: JSON text parsed, defaults filled in, every value of its type. */
export type Arguments = Record<string, unknown>;

// The schemas are Forge's own; checking them against the schema of schemas would take longer than all the rest.
const ajv = new Ajv({ allErrors: true, strict: false, verbose: true, meta: false, validateSchema: false });
/** Compiling one schema takes longer than a whole call, so it waits for a tool's first one. */
const validators = new WeakMap<Tool, ValidateFunction>();

const JSON_TYPES = new Set(['json', 'object', 'array']);
const JSON_NUMBER = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?$/;

/**
 * Checks what a caller sent. An argument that is left out takes the parameter's default, else the setting `default_<name>`
 * of the chosen instance.
 */
export function readArguments(
  tool: Tool,
  pack: ConnectorPackage,
  given: unknown,
  settings: Record<string, unknown>,
): Arguments {
  const args = parseJsonTexts(tool, asObject(given));
  addDefaults(tool, args, settings);
  const validate = validatorFor(tool, pack);
  if (!validate(args)) throw invalidArguments(tool, pack, validate.errors ?? []);
  return args;
}

function validatorFor(tool: Tool, pack: ConnectorPackage): ValidateFunction {
  let validate = validators.get(tool);
  if (validate === undefined) {
    // Every default is in place by now, so the plain list of required parameters is the right one.
    const { required: _required, ...schema } = inputSchema(tool, pack.settings);
    const required = Object.keys(tool.parameters).filter((name) => tool.parameters[name]?.required === true);
    validate = ajv.compile({ ...schema, required });
    validators.set(tool, validate);
  }
  return validate;
}

function asObject(given: unknown): Record<string, unknown> {
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw new ForgeError('invalid_argument', 'the arguments must be a JSON object');
  const bad = Object.keys(given).find(isForbiddenKey);
  if (bad !== undefined) throw new ForgeError('invalid_argument', `${bad} is not an argument of any tool`);
  return given;
}

/** Models sometimes hand over an object, a number or a truth value as its JSON text; both shapes mean the same. */
function parseJsonTexts(tool: Tool, given: Record<string, unknown>): Arguments {
  const args: Arguments = {};
  for (const name in given) {
    const value = given[name];
    // An argument that is null counts as left out.
    if (value === undefined || value === null) continue;
    const isText = typeof value === 'string' && Object.hasOwn(tool.parameters, name);
    args[name] = isText ? readText(value, tool.parameters[name]?.type ?? 'string') : value;
  }
  return args;
}

/** A text that cannot be read as the type stays as it is, and the validation says what was expected. */
function readText(text: string, type: string): unknown {
  if (JSON_TYPES.has(type)) return parsed(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if ((type !== 'number' && type !== 'integer') || !JSON_NUMBER.test(text.trim())) return text;
  const value = Number(text);
  // A long id would become another number.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
}

/** Plain text is a fine value for `json`; for the other types the validation says what was expected. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function addDefaults(tool: Tool, args: Arguments, settings: Record<string, unknown>): void {
  for (const name in tool.parameters) {
    if (Object.hasOwn(args, name)) continue;
    const fallback = tool.parameters[name]?.default ?? ownValue(settings, `default_${name}`);
    if (fallback !== undefined && fallback !== '') args[name] = fallback;
  }
}

function invalidArguments(tool: Tool, pack: ConnectorPackage, errors: readonly ErrorObject[]): ForgeError {
  const problems = [...new Set(errors.map((error) => describe(error, tool, pack)))];
  return new ForgeError('invalid_argument', problems.slice(0, 5).join('; '), { details: problems });
}

function describe(error: ErrorObject, tool: Tool, pack: ConnectorPackage): string {
  const params: Record<string, unknown> = error.params;
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  switch (error.keyword) {
    case 'required':
      return `the argument ${String(params['missingProperty'])} is required`;
    case 'additionalProperties': {
      const known = Object.keys(inputSchema(tool, pack.settings)['properties'] ?? {});
      const listed = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
      return `${tool.name} has no argument ${briefValue(params['additionalProperty'])}; ${listed}`;
    }
    case 'enum':
      return `the argument ${path} must be one of ${JSON.stringify(params['allowedValues'])}, not ${briefValue(error.data)}`;
    case 'type':
      return `the argument ${path} must be of type ${String(params['type'])}, not ${briefValue(error.data)}`;
    default:
      return `the argument ${path} ${error.message ?? 'is not valid'}`;
  }
}
