import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import { ForgeError } from '../../shared/errors.ts';

// The schemas are Forge's own; checking them against the schema of schemas would take longer than all the rest.
const ajv = new Ajv({ allErrors: true, strict: false, meta: false, validateSchema: false });
const compiled = new WeakMap<TSchema, ValidateFunction>();

/** Checks what a client sent; the error names every field that is wrong. Validators are compiled on first use. */
export function validate(schema: TSchema, value: unknown, what: 'body' | 'query'): void {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = ajv.compile(schema);
    compiled.set(schema, check);
  }
  if (check(value)) return;
  const details = (check.errors ?? []).slice(0, 20).map(({ instancePath, message, params }) => {
    const extra: unknown = 'additionalProperty' in params ? params['additionalProperty'] : undefined;
    const suffix = typeof extra === 'string' ? ` (${extra.slice(0, 60)})` : '';
    return { path: instancePath, message: `${message ?? 'is not valid'}${suffix}` };
  });
  const [first] = details;
  const place = first?.path === '' || first === undefined ? `the ${what}` : `${what}${first.path}`;
  throw new ForgeError('invalid_request', `${place} ${first?.message ?? 'is not valid'}`, { details });
}
