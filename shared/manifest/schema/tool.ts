import { Type, type Static } from '@sinclair/typebox';
import { AuthSchema } from './auth.ts';
import { closed, mapOf, oneOf, refTo, tagged } from './tagged.ts';

const Text = Type.String();
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
/** Ten minutes: the longest any call may take. */
const TimeoutMs = Type.Integer({ minimum: 1, maximum: 600_000, description: 'At most 600000.' });

const PARAMETER_TYPES = [
  'string',
  'number',
  'integer',
  'boolean',
  'select',
  'json',
  'object',
  'array',
  'file',
] as const;
/** The largest file that a call sends: it is held in memory. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;
const URL_ENCODINGS = ['uri_component', 'none', 'path_segments'] as const;

export const ParameterSchema = closed({
  type: Type.Optional(oneOf(PARAMETER_TYPES)),
  description: Type.Optional(Text),
  label: Type.Optional(Text),
  help: Type.Optional(Text),
  required: Type.Optional(Type.Boolean()),
  default: Type.Optional(Type.Unknown()),
  options: Type.Optional(Type.Array(Scalar, { minItems: 1 })),
  url_encoding: Type.Optional(oneOf(URL_ENCODINGS, 'How the value is written into a URL path.')),
  max_bytes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_FILE_BYTES, description: 'The largest file it takes; at most 26214400.' }),
  ),
  allow_dash: Type.Optional(Type.Boolean({ description: 'Shell tools: the value may start with a dash.' })),
});

export const RequestSchema = closed({
  method: Type.Optional(oneOf(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])),
  url: Type.String({ minLength: 1 }),
  headers: Type.Optional(mapOf(Scalar)),
  query: Type.Optional(mapOf(Type.Unknown())),
  body: Type.Optional(Type.Unknown()),
  body_form: Type.Optional(Type.Union([Text, mapOf(Type.Unknown())])),
  body_form_inject: Type.Optional(mapOf(Text)),
  body_form_inject_from: Type.Optional(Text),
  body_multipart: Type.Optional(mapOf(Type.Unknown())),
  capture_response_headers: Type.Optional(Type.Array(Text)),
});

export const MatchSchema = closed({ path: Text, equals: Scalar });
export const ErrorPathSchema = Type.String({
  minLength: 1,
  description: 'Where an answer says that it is an error, such as error or errors. Anything there makes the call fail.',
});
const minItems = Type.Optional(
  Type.Integer({ minimum: 1, description: 'The result is a list with at least so many items, or the call fails.' }),
);

const Outcome = closed({
  mode: Type.Optional(oneOf(['chat', 'tool', 'none'])),
  message: Type.Optional(Text),
  tool: Type.Optional(Text),
  args: Type.Optional(mapOf(Type.Unknown())),
});

export const AsyncSchema = closed({
  poll: Type.String({ minLength: 1 }),
  poll_args: Type.Optional(mapOf(Type.Unknown())),
  done_path: Type.Optional(Text),
  done_match: Type.Optional(MatchSchema),
  fail_path: Type.Optional(Text),
  interval_sec: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  timeout_sec: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  max_polls: Type.Optional(Type.Integer({ minimum: 1 })),
  on_done: Type.Optional(Outcome),
  on_fail: Type.Optional(Outcome),
  progress: Type.Optional(closed({ show: Type.Optional(Type.Boolean()), message: Type.Optional(Text) })),
});

const common = {
  description: Type.Optional(Type.String({ description: 'What the tool does, for the model and for people.' })),
  parameters: Type.Optional(mapOf(refTo('parameter', ParameterSchema), '^[A-Za-z_][A-Za-z0-9_.-]{0,63}$')),
  destructive: Type.Optional(Type.Boolean({ description: 'true: a person approves each call.' })),
  read_only: Type.Optional(
    Type.Boolean({
      description:
        'true: it changes nothing, neither by itself nor by the tools it starts. Shown before it is installed. GET and HEAD requests need not say so.',
    }),
  ),
  timeout_ms: Type.Optional(TimeoutMs),
  async: Type.Optional(refTo('async', AsyncSchema)),
  returns: Type.Optional(Type.Unknown({ description: 'What comes back, for the model.' })),
  items_path: Type.Optional(Text),
  response_fields: Type.Optional(Type.Union([Type.Array(Text), mapOf(Text)])),
  error_path: Type.Optional(ErrorPathSchema),
  ok_match: Type.Optional(MatchSchema),
  expect: Type.Optional(closed({ min_items: minItems })),
};

export const LOGGED_IN = 'A CSS selector: an element that is on the page only while somebody is logged in.';

const PageSchema = closed({
  url: Type.Optional(Text),
  on_target: Type.Optional(Text),
  settle_after_load_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  frame: Type.Optional(Text),
  ok_status: Type.Optional(
    Type.Array(Type.Integer({ minimum: 400, maximum: 599 }), {
      description: 'HTTP statuses of 400 and above that the page may have; without them such a page is a failure.',
    }),
  ),
});

const BrowserTool = closed({
  ...common,
  expect: Type.Optional(
    closed({
      min_items: minItems,
      require_selector: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'An element that the page has before or after the script; without one the call fails.',
        }),
      ),
    }),
  ),
  protocol: Type.Optional(Type.Literal('browser')),
  page: Type.Optional(PageSchema),
  script: Type.Optional(Text),
  script_file: Type.Optional(Type.String({ pattern: '^tools/[A-Za-z0-9_][A-Za-z0-9._-]*\\.js$' })),
  runner: Type.Optional(oneOf(['main', 'isolated'])),
  tab_strategy: Type.Optional(oneOf(['reuse', 'ephemeral', 'persistent'])),
  logged_in_selector: Type.Optional(
    Type.String({ description: `${LOGGED_IN} In place of the connector’s own; empty for a tool that needs no login.` }),
  ),
});

const HttpTool = closed({
  ...common,
  protocol: Type.Literal('http'),
  request: refTo('request', RequestSchema),
  auth: Type.Optional(refTo('auth', AuthSchema)),
});

const ShellTool = closed({
  ...common,
  protocol: Type.Literal('shell'),
  command: Type.Array(Scalar, {
    minItems: 1,
    description:
      'One element per argument; no shell is involved. {args.x} and --option={args.x} are left out when x is not given.',
  }),
  ok_exit_codes: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
      minItems: 1,
      description:
        'The exit codes that mean success; [0] when left out. Many programs end with 1 when they find nothing.',
    }),
  ),
  env: Type.Optional(mapOf(Scalar, '^[A-Za-z_][A-Za-z0-9_]*$')),
  cwd: Type.Optional(Text),
});

const SshSchema = closed({
  prompt_regex: Type.Optional(
    Type.String({
      description:
        'What the last line of the terminal looks like when the host waits for a command. Without it each command runs on its own and its exit code counts.',
    }),
  ),
  commands: Type.Optional(Type.Array(Text, { description: 'One line each, sent one after the other.' })),
  quoting: Type.Optional(
    oneOf(
      ['strict', 'posix'],
      'How arguments are written into commands. strict (when left out): what could end or change a command is refused. posix: quoted for a POSIX shell.',
    ),
  ),
  auto_answer: Type.Optional(
    Type.Array(closed({ match: Text, send: Scalar }), { description: 'What to answer when the host asks.' }),
  ),
  done_when: Type.Optional(Type.String({ description: 'A pattern: the work is done as soon as it is printed.' })),
  fail_when: Type.Optional(Type.String({ description: 'A pattern: the work has failed as soon as it is printed.' })),
  capture: Type.Optional(mapOf(Text)),
  success_on_close: Type.Optional(
    Type.Boolean({
      description:
        'true: a connection that ends after the last command was sent means success, unless with an exit code other than 0.',
    }),
  ),
  timeout_sec: Type.Optional(Type.Union([Type.Number({ exclusiveMinimum: 0 }), Text])),
});

const SshTool = closed({ ...common, protocol: Type.Literal('ssh'), ssh: Type.Optional(SshSchema) });

/** One callable thing. The protocol decides which keys it takes; without one it runs in the browser. */
export const ToolSchema = tagged(
  'protocol',
  { browser: BrowserTool, http: HttpTool, shell: ShellTool, ssh: SshTool },
  { default: 'browser', description: 'One callable thing.' },
);

export type Parameter = Static<typeof ParameterSchema>;
export type Request = Static<typeof RequestSchema>;
export type AsyncBlock = Static<typeof AsyncSchema>;
export type ManifestTool = Static<typeof ToolSchema>;
export type BrowserToolSpec = Static<typeof BrowserTool>;
export type HttpToolSpec = Static<typeof HttpTool>;
export type ShellToolSpec = Static<typeof ShellTool>;
export type SshToolSpec = Static<typeof SshTool>;
