import { isRecord, ownValue, type JsonValue } from '../../../shared/json.ts';

/** The schema of one argument, out of a tool's input_schema. */
export function argumentSchema(inputSchema: unknown, name: string): unknown {
  return ownValue(ownValue(inputSchema, 'properties'), name);
}

/**
 * A value from the command line as the argument's schema wants it: text stays text, numbers, booleans, lists and objects are read
 * as JSON, and a choice is matched by how it looks. What does not fit is sent as text, so that the server tells what it expected.
 */
export function typedValue(text: string, schema: unknown): JsonValue {
  const choices = ownValue(schema, 'enum');
  // A schema is JSON, and so is everything in it.
  if (Array.isArray(choices)) return (choices as JsonValue[]).find((choice) => looksLike(choice, text)) ?? text;
  switch (ownValue(schema, 'type')) {
    case 'string':
      return text;
    case 'number':
    case 'integer':
      return jsonIf(text, (value) => typeof value === 'number');
    case 'boolean':
      return jsonIf(text, (value) => typeof value === 'boolean');
    case 'array':
      return jsonIf(text, Array.isArray);
    case 'object':
      return jsonIf(text, isRecord);
    case undefined:
      return isRecord(schema) ? jsonIf(text, () => true) : text;
    default:
      return text;
  }
}

function looksLike(choice: JsonValue, text: string): boolean {
  return text === (typeof choice === 'string' ? choice : JSON.stringify(choice));
}

function jsonIf(text: string, fits: (value: unknown) => boolean): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue; // what JSON holds
    return fits(value) ? value : text;
  } catch {
    // Not JSON, so it can only be meant as text.
    return text;
  }
}
