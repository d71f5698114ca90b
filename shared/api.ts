import { Type, type Static, type TSchema } from '@sinclair/typebox';

const Text = Type.String();
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ description: 'ISO 8601, UTC.' });

export const ErrorBody = Type.Object({
  error: Type.Object({
    code: Text,
    message: Text,
    hint: Type.Optional(Text),
    details: Type.Optional(Type.Unknown()),
  }),
});

const DiagnosticSchema = Type.Object({
  severity: Type.Union([Type.Literal('error'), Type.Literal('warning'), Type.Literal('info')]),
  rule: Text,
  message: Text,
  hint: Type.Optional(Text),
  path: Text,
  line: Type.Integer(),
  column: Type.Integer(),
  endColumn: Type.Integer(),
});

const ForgeCommand = Type.String({ description: 'What a person types on this computer to run Forge.' });

export const Health = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')]),
  problems: Type.Array(Type.Object({ code: Text, message: Text }), { description: 'Why it is degraded.' }),
  version: Text,
  forge_command: ForgeCommand,
  adapters: Type.Record(Text, Type.Object({ status: Text })),
  bridge: Type.Object({ connected: Type.Integer() }),
  watches: Type.Integer(),
});

export const TokenAnswer = Type.Object({ token: Text });

const SourceSchema = Type.Object({ kind: Text, location: Type.Optional(Text) });

/** `ready`, or what stands in the way. */
const ConnectorState = Type.Union([
  Type.Literal('ready'),
  Type.Literal('needs_settings'),
  Type.Literal('login_needed'),
  Type.Literal('disabled'),
  Type.Literal('broken'),
]);

/** Whether it works, as far as tests and calls have shown with its present settings. */
const HealthSchema = Type.Object({
  status: Type.Union([Type.Literal('untested'), Type.Literal('working'), Type.Literal('failing')]),
  since: Nullable(Time),
  message: Type.String({ description: 'What went wrong; empty unless it fails.' }),
});

export const ConnectorSummary = Type.Object({
  id: Text,
  name: Text,
  icon: Text,
  version: Text,
  author: Text,
  description: Text,
  category: Text,
  state: ConnectorState,
  /** Why it is in that state, in one sentence; empty when ready. */
  reason: Text,
  health: HealthSchema,
  enabled: Type.Boolean(),
  tools: Type.Integer(),
  path: Text,
  sha256: Text,
  edited: Type.Boolean({ description: 'The files are no longer what was installed.' }),
  source: SourceSchema,
  installed_at: Nullable(Time),
  updated_at: Nullable(Time),
  update: Nullable(Type.Object({ version: Text })),
  review: Type.Boolean({ description: 'The files are not what was accepted.' }),
});

/** What a person lets callers do: call it, call it after they were asked, or not at all. */
export const ToolMode = Type.Union([Type.Literal('on'), Type.Literal('ask'), Type.Literal('never')]);

export const ToolSummary = Type.Object({
  id: Text,
  name: Text,
  connector: Text,
  package: Type.String({ description: 'Whose page it is on: the bundle, or the connector itself.' }),
  description: Text,
  protocol: Text,
  destructive: Type.Boolean(),
  only_reads: Type.Boolean({ description: 'It is certain that a call changes nothing.' }),
  mode: ToolMode,
  input_schema: Type.Unknown(),
});

export const ConnectorDetail = Type.Intersect([
  ConnectorSummary,
  Type.Object({
    diagnostics: Type.Array(DiagnosticSchema),
    tool_list: Type.Array(ToolSummary),
    capabilities: Type.Unknown(),
    readme: Text,
    test: Nullable(Type.Object({ description: Text, probe: Text }, { description: 'What POST …/test would try.' })),
  }),
]);

export const ConnectorList = Type.Object({ connectors: Type.Array(ConnectorSummary) });
/** What a paired browser may know without managing Forge: which connectors work in its tabs, and that somebody is waited for. */
export const GlanceAnswer = Type.Object({
  connectors: Type.Array(
    Type.Object({
      id: Text,
      name: Text,
      state: ConnectorState,
      reason: Text,
      health: HealthSchema,
      host_match: Type.Array(Text, { description: 'Patterns of the sites, with the settings filled in.' }),
    }),
  ),
  waiting: Type.Integer({ description: 'How many calls wait for a person.' }),
});
export const ToolList = Type.Object({ tools: Type.Array(ToolSummary) });
export const InstallRequest = Type.Object({ yaml: Text }, { additionalProperties: false });

export const InstallAnswer = Type.Object({
  ok: Type.Literal(true),
  id: Text,
  version: Text,
  path: Text,
  sha256: Text,
  previous_version: Nullable(Text),
  warnings: Type.Array(DiagnosticSchema),
});

export const LintRequest = Type.Object(
  { yaml: Text, scripts: Type.Optional(Type.Record(Text, Text)) },
  { additionalProperties: false },
);
export const LintAnswer = Type.Object({ ok: Type.Boolean(), diagnostics: Type.Array(DiagnosticSchema) });
export const ManifestAnswer = Type.Object({ yaml: Text, sha256: Text, path: Text });
export const EnableRequest = Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false });
export const RemoveQuery = Type.Object({
  settings: Type.Optional(Type.Union([Type.Literal('keep'), Type.Literal('delete')])),
});
export const RemoveAnswer = Type.Object({ ok: Type.Literal(true), id: Text, settings: Text });

/** Every setting there is, for finding one by its name. */
export const FieldsAnswer = Type.Object({
  fields: Type.Array(Type.Object({ connector: Text, connector_name: Text, name: Text, label: Text })),
});

export const SettingsAnswer = Type.Object({
  schema: Type.Unknown({ description: 'The fields as the manifest declares them.' }),
  values: Type.Record(Text, Type.Unknown(), { description: 'Secrets as {"$secret": true}, unset fields as null.' }),
  revision: Type.Integer(),
  updated_at: Nullable(Time),
  missing: Type.Array(Type.Object({ path: Text, label: Text, message: Text })),
  warnings: Type.Array(Type.Object({ path: Text, label: Text, message: Text }), {
    description: 'Of what was just saved: a secret that is short or easy to guess.',
  }),
  leftover: Type.Array(Text),
});
export const SettingsRequest = Type.Object(
  {
    values: Type.Record(Text, Type.Unknown(), {
      description:
        'A field left out stays; null removes it; a secret is replaced by text and kept by {"$secret": true}.',
    }),
    revision: Type.Optional(Type.Integer({ description: 'Save only on top of this revision.' })),
  },
  { additionalProperties: false },
);

export const MarketplaceAnswer = Type.Object({
  location: Text,
  bundled: Type.Boolean({ description: 'It came with Forge itself.' }),
  fetched_at: Nullable(Time),
  problem: Nullable(Type.Object({ code: Text, message: Text, hint: Text })),
  connectors: Type.Array(
    Type.Object({
      id: Text,
      name: Text,
      icon: Text,
      version: Text,
      author: Text,
      description: Text,
      min_forge_version: Nullable(Text),
      installed_version: Nullable(Text),
      update_available: Type.Boolean(),
    }),
  ),
});
export const MarketplaceQuery = Type.Object({
  refresh: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
});

export const SecretsAnswer = Type.Object({
  store: Text,
  description: Text,
  state: Text,
  reason: Type.Optional(Text),
  keyId: Type.Optional(Text),
  keys: Type.Array(
    Type.Object({ id: Text, current: Type.Boolean(), available: Type.Boolean(), sealedCount: Type.Integer() }),
  ),
});
export const RotateAnswer = Type.Object({ from: Text, to: Text, count: Type.Integer(), removable: Type.Array(Text) });

export const CallRequestBody = Type.Object(
  {
    args: Type.Optional(Type.Unknown({ description: 'The tool’s arguments, as its input_schema says.' })),
    dry_run: Type.Optional(Type.Boolean({ description: 'Show what would be sent, and send nothing.' })),
    approval_id: Type.Optional(Text),
    wait_for_approval: Type.Optional(
      Type.Boolean({
        description:
          'Hold the call until a person has decided, then run it. Hanging up withdraws the question. With Accept: text/event-stream, `waiting` events say what it waits for.',
      }),
    ),
    browser: Type.Optional(
      Type.String({ maxLength: 200, description: 'The id or name of the browser a browser tool runs in.' }),
    ),
    session_id: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description: 'The conversation that a watch reports into; it must exist.',
      }),
    ),
    caller: Type.Optional(Type.String({ maxLength: 100, description: 'The client’s own name, for the call log.' })),
  },
  { additionalProperties: false },
);
export const CallAnswerBody = Type.Object({
  ok: Type.Boolean(),
  call_id: Text,
  duration_ms: Type.Optional(Type.Number()),
  result: Type.Optional(Type.Unknown()),
  response: Type.Optional(
    Type.Unknown({ description: 'Status line and captured headers of an http tool, exit code of a shell tool.' }),
  ),
  handle: Type.Optional(Type.String({ description: 'Reads the whole of a result that was cut.' })),
  watch_id: Type.Optional(Type.String({ description: 'What the tool has started goes on, and is watched.' })),
  dry_run: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ code: Text, message: Text, hint: Text, details: Type.Optional(Type.Unknown()) })),
});
export const ConnectorToolRequest = Type.Object(
  { plugin_id: Text, tool: Text, input: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);
export const ConnectorToolAnswer = Type.Object({ content: Text, is_error: Type.Boolean() });

export const ResultQuery = Type.Object({
  path: Type.Optional(Type.String({ maxLength: 500 })),
  offset: Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$' })),
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$' })),
  search: Type.Optional(Type.String({ maxLength: 500 })),
});

const ClientLimits = {
  connectors: Nullable(Type.Array(Text, { description: 'Ids; null is all of them.', maxItems: 1000 })),
  read_only: Type.Boolean({ description: 'Only tools that are certain to change nothing.' }),
};
export const McpClientAnswer = Type.Object({
  id: Text,
  name: Text,
  ...ClientLimits,
  created_at: Time,
  last_used_at: Nullable(Time),
});
export const McpClientsAnswer = Type.Object({ clients: Type.Array(McpClientAnswer) });
export const NewMcpClient = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 60 }),
    connectors: Type.Optional(ClientLimits.connectors),
    read_only: Type.Optional(ClientLimits.read_only),
  },
  { additionalProperties: false },
);
export const ChangedMcpClient = Type.Object(ClientLimits, { additionalProperties: false });
export const NewMcpClientAnswer = Type.Object({
  client: McpClientAnswer,
  token: Type.String({ description: 'Shown this once.' }),
  forge_command: ForgeCommand,
  launch: Type.Object(
    { command: Text, args: Type.Array(Text), env: Type.Record(Text, Text) },
    { description: 'How a client that starts programs starts Forge; it needs no token.' },
  ),
});

export const TestQuery = Type.Object({ instance: Type.Optional(Text) });
export const TestAnswer = Type.Object({
  ok: Type.Boolean(),
  message: Text,
  hint: Type.Optional(Text),
  code: Type.Optional(Text),
  status: Type.Optional(Type.Integer()),
  url: Type.Optional(Text),
  duration_ms: Type.Number(),
  steps: Type.Array(Type.Object({ name: Text, ok: Type.Boolean(), ms: Type.Number() })),
  plan: Type.Array(Text, { description: 'All steps, those that it did not get to included.' }),
});

export type McpClientAnswer = Static<typeof McpClientAnswer>;
export type ConnectorSummary = Static<typeof ConnectorSummary>;
export type ConnectorDetail = Static<typeof ConnectorDetail>;
export type ToolSummary = Static<typeof ToolSummary>;
export type MarketplaceAnswer = Static<typeof MarketplaceAnswer>;
export type GlanceAnswer = Static<typeof GlanceAnswer>;
export type FieldsAnswer = Static<typeof FieldsAnswer>;
export type InstallAnswer = Static<typeof InstallAnswer>;
export type SettingsAnswer = Static<typeof SettingsAnswer>;
export type LintAnswer = Static<typeof LintAnswer>;
export type SecretsAnswer = Static<typeof SecretsAnswer>;
export type RotateAnswer = Static<typeof RotateAnswer>;
export type Health = Static<typeof Health>;
