import { Type, type Static, type TObject, type TSchema, type TUnsafe } from '@sinclair/typebox';

type Variants = Record<string, TObject>;

/**
 * A union told apart by one key, written as if/then so that a mistake inside a variant is reported for that variant alone,
 * by ajv and by editors alike. The default variant is also taken when the key is missing.
 */
export function tagged<V extends Variants>(
  tag: string,
  variants: V,
  options: { default?: keyof V & string; description?: string } = {},
): TUnsafe<Static<V[keyof V]>> {
  const branches = Object.entries(variants).map(([name, variant]) => ({
    if: {
      properties: { [tag]: { const: name } },
      ...(name === options.default ? {} : { required: [tag] }),
    },
    then: variant,
  }));
  return Type.Unsafe<Static<V[keyof V]>>({
    type: 'object',
    ...(options.description === undefined ? {} : { description: options.description }),
    properties: { [tag]: { enum: Object.keys(variants) } },
    ...(options.default === undefined ? { required: [tag] } : {}),
    allOf: branches,
  });
}

/** An object whose unknown keys the linter warns about. */
export function closed<P extends Record<string, TSchema>>(properties: P, description?: string): TObject<P> {
  return Type.Object(properties, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  });
}

/** A map with free keys and values of one kind. */
export function mapOf<T extends TSchema>(value: T, keyPattern?: string) {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    maxProperties: 1000,
    additionalProperties: value,
    ...(keyPattern === undefined ? {} : { propertyNames: { pattern: keyPattern } }),
  });
}

/** A string out of a fixed list. */
export function oneOf<const W extends readonly string[]>(words: W, description?: string): TUnsafe<W[number]> {
  return Type.Unsafe<W[number]>({
    type: 'string',
    enum: [...words],
    ...(description === undefined ? {} : { description }),
  });
}

/** A reference to a definition that the manifest's schema keeps under `$defs`, so that each is compiled once. */
export function refTo<T extends TSchema>(name: string, _schema: T): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ $ref: `#/$defs/${name}` });
}
