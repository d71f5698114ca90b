import type { JsonValue } from '../../../../shared/json.ts';
import type { Decision, ForgeApi } from '../../api.ts';
import { argumentSchema, typedValue } from '../../call/typed-value.ts';
import { readTime } from '../../read-time.ts';
import { UsageError } from '../../usage-error.ts';
import { wholeNumber } from '../../whole-number.ts';

export type Limits = Omit<NonNullable<Decision['standing']>, 'conditions'>;

/** What --max-uses and --until say; one of them must. */
export function limitsOf({ maxUses, until }: { maxUses?: string | undefined; until?: string | undefined }): Limits {
  if (maxUses === undefined && until === undefined)
    throw new UsageError('no limit', 'Say for how many calls (--max-uses) or until when (--until).');
  return {
    ...(maxUses === undefined ? {} : { max_uses: wholeNumber('--max-uses', maxUses, { min: 1, max: 1_000_000 }) }),
    ...(until === undefined ? {} : { until: readTime('--until', until, 'end') }),
  };
}

/** Each argument with the value it must have, or with a list of those it may have. */
export async function readConditions(
  api: ForgeApi,
  toolId: string,
  pairs: readonly (readonly [string, string])[],
): Promise<Record<string, JsonValue>> {
  const schema = (await api.tools()).find(({ id }) => id === toolId)?.input_schema;
  const names = [...new Set(pairs.map(([name]) => name))];
  const entries = names.map((name) => {
    const values = pairs
      .filter(([other]) => other === name)
      .map(([, text]) => typedValue(text, argumentSchema(schema, name)));
    // A value that is itself a list must not be taken for a list of values.
    const [only] = values;
    const isOne = values.length === 1 && only !== undefined && !Array.isArray(only);
    return [name, isOne ? only : values] as const;
  });
  return Object.fromEntries(entries);
}
