import { Type, type Static } from '@sinclair/typebox';
import { AuthSchema } from './auth.ts';
import { SettingFieldSchema, SettingsSchema } from './settings.ts';
import { closed, mapOf, oneOf, refTo, tagged } from './tagged.ts';
import {
  AsyncSchema,
  ErrorPathSchema,
  LOGGED_IN,
  MatchSchema,
  ParameterSchema,
  RequestSchema,
  ToolSchema,
} from './tool.ts';

/** An id is a folder name and part of a URL, so it stays lowercase and short. */
export const ID_PATTERN = '^[a-z0-9][a-z0-9_-]{0,63}$';
/** Tool names join the connector's id in the name a model sees. */
const TOOL_NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_-]{0,63}$';

const testCommon = {
  description: Type.Optional(Type.String()),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 600_000 })),
  auth_required_selector: Type.Optional(Type.String()),
  body_match: Type.Optional(Type.String()),
};

const TestSchema = tagged(
  'probe',
  {
    http: closed({
      ...testCommon,
      probe: Type.Optional(Type.Literal('http')),
      request: refTo('request', RequestSchema),
      auth: Type.Optional(refTo('auth', AuthSchema)),
      error_path: Type.Optional(ErrorPathSchema),
      ok_match: Type.Optional(MatchSchema),
      ok_status: Type.Optional(Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { minItems: 1 })),
      ok_template: Type.Optional(Type.String()),
    }),
    browser: closed({
      ...testCommon,
      probe: Type.Literal('browser'),
      ok_template: Type.Optional(Type.String()),
    }),
    ssh: closed({
      ...testCommon,
      probe: Type.Literal('ssh'),
      command: Type.Optional(Type.String({ description: 'Run after the login; it must end with exit code 0.' })),
      ok_template: Type.Optional(
        Type.String({ description: 'May use {{host}}, {{port}}, {{username}} and {{output}}.' }),
      ),
    }),
  },
  { default: 'http', description: 'What the Test button does.' },
);

const Tools = mapOf(refTo('tool', ToolSchema), TOOL_NAME_PATTERN);

/** Keys a bundle hands down to its parts and a part may set for itself. */
const inherited = {
  runner: Type.Optional(oneOf(['main', 'isolated'], 'The world browser scripts run in.')),
  host_match: Type.Optional(Type.String({ description: 'Which tabs belong to the service, such as {base_url}/*.' })),
  login_redirect: Type.Optional(Type.String({ description: 'Text in a URL that means: not logged in.' })),
  logged_in_selector: Type.Optional(Type.String({ description: LOGGED_IN })),
  auth: Type.Optional(refTo('auth', AuthSchema)),
  test: Type.Optional(refTo('test', TestSchema)),
  tab_strategy: Type.Optional(oneOf(['reuse', 'ephemeral', 'persistent'])),
  http: Type.Optional(closed({ verify_tls: Type.Optional(Type.Boolean()) })),
  mode: Type.Optional(Type.String()),
  catalog_summary: Type.Optional(Type.String({ description: 'A short line for the model’s catalogue of connectors.' })),
};

const identity = {
  id: Type.String({ pattern: ID_PATTERN, description: 'Lowercase letters, digits, - and _.' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  icon: Type.Optional(Type.String({ maxLength: 1000 })),
  description: Type.Optional(Type.String({ description: 'Shown in the marketplace.' })),
};

const PartSchema = closed({ ...identity, version: Type.Optional(Type.String()), ...inherited, tools: Tools });

const ManifestSchema = closed({
  ...identity,
  version: Type.String({ minLength: 1, maxLength: 64 }),
  author: Type.Optional(Type.String()),
  min_forge_version: Type.Optional(Type.String({ description: 'The oldest Forge this connector runs on.' })),
  category: Type.Optional(Type.String()),
  settings: Type.Optional(SettingsSchema),
  ...inherited,
  tools: Type.Optional(Tools),
  connectors: Type.Optional(Type.Array(PartSchema, { minItems: 1, maxItems: 100 })),
  kanban: Type.Optional(Type.Unknown()),
  runtime: Type.Optional(Type.Unknown()),
});

export type Manifest = Static<typeof ManifestSchema>;
export type ManifestPart = Static<typeof PartSchema>;
export type TestBlock = Static<typeof TestSchema>;

/** Parts that stand in several places, or refer to themselves. */
const DEFINITIONS = {
  settingField: SettingFieldSchema,
  parameter: ParameterSchema,
  request: RequestSchema,
  auth: AuthSchema,
  async: AsyncSchema,
  tool: ToolSchema,
  test: TestSchema,
};

/** The format as a JSON Schema document: what ajv checks and what editors complete from. */
export function manifestJsonSchema(): Record<string, unknown> {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'forge-connector-manifest',
    title: 'Forge connector manifest',
    // TypeBox keeps its own marks as symbols; a round trip through JSON leaves the plain schema.
    ...(JSON.parse(JSON.stringify(ManifestSchema)) as Record<string, unknown>), // its own output
    $defs: JSON.parse(JSON.stringify(DEFINITIONS)) as unknown,
  };
}
