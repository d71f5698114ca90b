import type { TSchema } from '@sinclair/typebox';
import { Errors } from '@sinclair/typebox/errors';
import { Check } from '@sinclair/typebox/value';

/** What is wrong with a value, or null. */
export function problemWith(schema: TSchema, value: unknown): string | null {
  if (Check(schema, value)) return null;
  const first = Errors(schema, value).First();
  return first === undefined ? 'it has the wrong shape' : `${first.path === '' ? 'it' : first.path}: ${first.message}`;
}
