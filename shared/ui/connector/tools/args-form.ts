import { isRecord, ownValue, type JsonObject, type JsonValue } from '../../../json.ts';

/** One argument as the form asks for it. */
export interface ArgField {
  name: string;
  help: string;
  required: boolean;
  input: ArgInput;
}

type ArgInput =
  | { kind: 'text'; placeholder: string; isLong: boolean }
  | { kind: 'number'; placeholder: string; isWhole: boolean }
  | { kind: 'choice'; options: readonly JsonValue[]; fallback: string }
  /** Anything that is written as JSON; `wants` is what it has to be, if that matters. */
  | { kind: 'json'; placeholder: string; wants: 'array' | 'object' | null };

/** What was typed, by argument; an argument nobody typed is not sent. */
export type ArgTexts = Readonly<Record<string, string>>;

const LONG_TEXT = /(^|_)(body|text|comment|content|description|message|note|script|sql|summary)$/i;

/** The form of a tool's `input_schema`. `instances` are the rows a person has saved, by name. */
export function argFields(schema: unknown, instances: readonly string[] = []): ArgField[] {
  const properties = ownValue(schema, 'properties');
  const required = ownValue(schema, 'required');
  if (!isRecord(properties)) return [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    help: textAt(property, 'description'),
    required: Array.isArray(required) && required.includes(name),
    input: inputOf(name, property, instances),
  }));
}

function inputOf(name: string, property: unknown, instances: readonly string[]): ArgInput {
  // A schema arrives as JSON.
  const options = ownValue(property, 'enum') as JsonValue | undefined;
  const fallback = ownValue(property, 'default');
  const placeholder = fallback === undefined ? '' : typeof fallback === 'string' ? fallback : JSON.stringify(fallback);
  const type = ownValue(property, 'type');
  // The schema names them too, as they were when it was read; a page may have saved others since.
  if (name === 'instance' && instances.length > 0)
    return { kind: 'choice', options: instances, fallback: placeholder === '' ? (instances[0] ?? '') : placeholder };
  if (Array.isArray(options)) return { kind: 'choice', options, fallback: placeholder };
  switch (type) {
    case 'boolean':
      return { kind: 'choice', options: [true, false], fallback: placeholder };
    case 'string':
      return { kind: 'text', placeholder, isLong: LONG_TEXT.test(name) || placeholder.includes('\n') };
    case 'number':
    case 'integer':
      return { kind: 'number', placeholder, isWhole: type === 'integer' };
    default:
      return { kind: 'json', placeholder, wants: type === 'array' || type === 'object' ? type : null };
  }
}

function textAt(value: unknown, key: string): string {
  const found = ownValue(value, key);
  return typeof found === 'string' ? found : '';
}

/** What was typed for an argument, whatever it is called. */
export function typedIn(texts: ArgTexts, name: string): string {
  return Object.hasOwn(texts, name) ? (texts[name] ?? '') : '';
}

/** The arguments of a call, or what keeps them from being sent, by argument. */
export function readArgs(
  fields: readonly ArgField[],
  texts: ArgTexts,
): { args: JsonObject; problems: ReadonlyMap<string, string> } {
  const args: [string, JsonValue][] = [];
  const problems = new Map<string, string>();
  for (const field of fields) {
    const text = typedIn(texts, field.name);
    if (text === '') {
      if (field.required) problems.set(field.name, 'is required');
      continue;
    }
    const read = readArg(field.input, text);
    if ('problem' in read) problems.set(field.name, read.problem);
    else args.push([field.name, read.value]);
  }
  return { args: Object.fromEntries(args), problems };
}

function readArg(input: ArgInput, text: string): { value: JsonValue } | { problem: string } {
  switch (input.kind) {
    case 'text':
      return { value: text };
    case 'number': {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value)) return { problem: 'must be a number' };
      return input.isWhole && !Number.isInteger(value) ? { problem: 'must be a whole number' } : { value };
    }
    case 'choice':
      return { value: input.options.find((option) => optionText(option) === text) ?? text };
    case 'json':
      return readJson(text, input.wants);
  }
}

function readJson(text: string, wants: 'array' | 'object' | null): { value: JsonValue } | { problem: string } {
  try {
    const value = JSON.parse(text) as JsonValue; // what JSON.parse makes is JSON
    if (wants === 'array' && !Array.isArray(value)) return { problem: 'must be a list, such as ["a", "b"]' };
    if (wants === 'object' && !isRecord(value)) return { problem: 'must be an object, such as {"a": 1}' };
    return { value };
  } catch (error) {
    // A parameter that takes anything takes plain words too.
    if (wants === null && !/^\s*["{[]/.test(text)) return { value: text };
    return { problem: `is not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** How a choice is written in the list. */
export function optionText(option: JsonValue): string {
  return typeof option === 'string' ? option : JSON.stringify(option);
}
