import { isSecretField } from '../connector.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, warning, type Rule } from '../rule.ts';
import type { SettingField } from '../schema/settings.ts';

const LOOKS_SECRET = /(^|_)(password|passwd|passphrase|secret|token|pat|api_?key|private_?key|credential)s?$/i;
/** Rows inside rows are as deep as the form and the document go. */
const MAX_ROW_LEVELS = 2;

/** Defaults must fit their type, secrets must be typed as such, and the field called `instances` must be usable as one. */
export const settings: Rule = function* ({ manifest }) {
  yield* fieldsIn(manifest.settings ?? {}, ['settings'], 0);
  const instances = manifest.settings?.['instances'];
  if (instances === undefined) return;
  if (instances.type !== 'instances') {
    yield warning(
      'instances',
      ['settings', 'instances'],
      'a setting called `instances` is expected to have `type: instances`',
    );
  } else if (!Object.hasOwn(instances.fields, 'name')) {
    yield failure('instances', ['settings', 'instances', 'fields'], 'the rows of `instances` need a `name` field', {
      hint: 'The model picks a row by its name. Add name: { type: string, required: true }.',
    });
  }
};

function* fieldsIn(fields: Record<string, SettingField>, path: readonly string[], level: number): Iterable<Finding> {
  for (const [name, field] of Object.entries(fields)) {
    const at = [...path, name];
    if (isSecretField(field) && field.default !== undefined) {
      yield failure(
        'secret-default',
        [...at, 'default'],
        `the secret \`${name}\` has a default that anybody can read`,
        {
          hint: 'Remove it; a person fills it in.',
        },
      );
    } else if (!isSecretField(field) && LOOKS_SECRET.test(name) && (field.type ?? 'string') === 'string') {
      yield warning(
        'secret-type',
        [...at, 'type'],
        `\`${name}\` looks like a secret but is stored and shown as plain text`,
        {
          hint: 'Use type: secret.',
        },
      );
    }
    if (field.type === 'select' && field.default !== undefined && !field.options.includes(field.default)) {
      yield failure('default', [...at, 'default'], `the default of \`${name}\` is not one of its options`);
    }
    if (field.type === 'instances') {
      if (level + 1 > MAX_ROW_LEVELS) {
        yield failure('instances', at, 'rows can be nested two levels deep at most');
      } else {
        yield* fieldsIn(field.fields, [...at, 'fields'], level + 1);
      }
    }
  }
}
