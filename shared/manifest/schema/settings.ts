import { Type, type Static } from '@sinclair/typebox';
import { closed, mapOf, tagged } from './tagged.ts';

/** Names of settings and of columns in rows: they become template tokens. */
const SETTING_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';

const common = {
  label: Type.Optional(Type.String({ description: 'Shown above the field.' })),
  description: Type.Optional(Type.String({ description: 'Shown below the field: where to find the value.' })),
  help: Type.Optional(Type.String()),
  placeholder: Type.Optional(Type.String()),
  required: Type.Optional(Type.Boolean()),
};

const Options = Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
  minItems: 1,
  description: 'The values to choose from.',
});

const StringField = closed({
  ...common,
  type: Type.Optional(Type.Literal('string')),
  default: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  secret: Type.Optional(Type.Boolean({ description: 'true is the same as type: secret.' })),
});
const SecretField = closed({ ...common, type: Type.Literal('secret'), default: Type.Optional(Type.String()) });
const NumberField = closed({ ...common, type: Type.Literal('number'), default: Type.Optional(Type.Number()) });
const IntegerField = closed({ ...common, type: Type.Literal('integer'), default: Type.Optional(Type.Integer()) });
const BooleanField = closed({ ...common, type: Type.Literal('boolean'), default: Type.Optional(Type.Boolean()) });
const SelectField = closed({
  ...common,
  type: Type.Literal('select'),
  options: Options,
  default: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
});
const JsonField = closed({ ...common, type: Type.Literal('json'), default: Type.Optional(Type.Unknown()) });
const ObjectField = closed({ ...common, type: Type.Literal('object'), default: Type.Optional(Type.Unknown()) });
const InstancesField = closed({
  ...common,
  type: Type.Literal('instances'),
  fields: Type.Unsafe<Record<string, SettingField>>({
    type: 'object',
    minProperties: 1,
    propertyNames: { pattern: SETTING_NAME },
    additionalProperties: { $ref: '#/$defs/settingField' },
    description: 'The columns of a row; a column may itself be rows.',
  }),
  default: Type.Optional(Type.Unknown()),
});

/** One field of the settings form. `instances` refers back to this, so the definition is shared through `$defs`. */
export const SettingFieldSchema = tagged(
  'type',
  {
    string: StringField,
    secret: SecretField,
    number: NumberField,
    integer: IntegerField,
    boolean: BooleanField,
    select: SelectField,
    json: JsonField,
    object: ObjectField,
    instances: InstancesField,
  },
  { default: 'string', description: 'One field of the form under Settings → Connectors.' },
);

export type SettingField =
  | Static<typeof StringField>
  | Static<typeof SecretField>
  | Static<typeof NumberField>
  | Static<typeof IntegerField>
  | Static<typeof BooleanField>
  | Static<typeof SelectField>
  | Static<typeof JsonField>
  | Static<typeof ObjectField>
  | InstancesSetting;

interface InstancesSetting {
  type: 'instances';
  label?: string;
  description?: string;
  help?: string;
  placeholder?: string;
  required?: boolean;
  fields: Record<string, SettingField>;
  default?: unknown;
}

export const SettingsSchema = mapOf(Type.Unsafe<SettingField>({ $ref: '#/$defs/settingField' }), SETTING_NAME);
