import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { JsonValue } from './json.ts';

const Text = Type.String();
const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ description: 'ISO 8601, UTC.' });
const Count = Nullable(Type.Number());
const word = <W extends string>(...words: W[]) => Type.Unsafe<W>({ type: 'string', enum: words });

/** What somebody wrote, or what a model has said so far. */
const TextPart = Type.Object({ type: Type.Literal('text'), text: Text });

/** A file that came with a person's message. */
const FilePart = Type.Object({
  type: Type.Literal('file'),
  file_id: Type.String({ description: 'GET /api/files/:id downloads it, for as long as files are kept.' }),
  name: Text,
  media_type: Text,
  size_bytes: Type.Integer(),
  /** True when the model reads the file's text; else it is told of the file only. */
  is_text: Type.Boolean(),
});

/** A tool that the model has asked for. */
const ToolPart = Type.Object({
  type: Type.Literal('tool'),
  id: Type.String({ description: 'The model’s own id of this call.' }),
  name: Type.String({ description: 'As the model knows it: <connector>__<tool>, or one of Forge’s own.' }),
  args: Type.Unsafe<JsonValue>({}),
  /** `waiting`: a person has to say yes or no. `unknown`: Forge was stopped, and nobody knows how far it got. */
  state: word('running', 'waiting', 'done', 'failed', 'unknown'),
  approval: Nullable(Type.Object({ id: Text, reason: Text })),
  output: Type.String({ description: 'What a command has printed so far, the last 20,000 characters of it.' }),
  result: Nullable(Type.String({ description: 'What came back, as the model reads it; JSON for most tools.' })),
  tool_id: Nullable(Type.String({ description: '<connector>.<tool>; null for Forge’s own.' })),
  call_id: Nullable(Type.String({ description: 'GET /api/calls/:id is the trace.' })),
  handle: Nullable(Type.String({ description: 'GET /api/results/:handle has the whole result, for a while.' })),
  code: Nullable(Type.String({ description: 'Why it failed, from docs/errors.md; login_required among them.' })),
  login_tab: Type.Optional(
    Type.Object(
      { browser_id: Text, tab_id: Type.Integer() },
      { description: 'Where a person has to log in: POST /api/browsers/:browser_id/focus-tab brings it to the front.' },
    ),
  ),
  duration_ms: Nullable(Type.Number()),
  site: Nullable(Type.String({ description: 'Whom it talked to: a host, or the connector where there is none.' })),
});

export const ChatPart = Type.Union([TextPart, FilePart, ToolPart]);

const MESSAGE_STATUSES = ['queued', 'running', 'ok', 'error', 'cancelled', 'interrupted'] as const;

export const ChatMessage = Type.Object({
  id: Text,
  session_id: Text,
  seq: Type.Integer({ description: 'Messages of a conversation stand in this order.' }),
  role: word('user', 'assistant', 'report'),
  status: word(...MESSAGE_STATUSES),
  parts: Type.Array(ChatPart),
  /** Of an answer: follow it at GET /api/v2/tasks/:id/events, stop it with POST /api/tasks/:id/cancel. */
  task_id: Nullable(Text),
  model: Nullable(Type.String({ description: 'provider/model, once it is known.' })),
  /** Why an answer has not ended well. */
  error: Nullable(Type.Object({ code: Text, message: Text, hint: Text })),
  warnings: Type.Array(Text),
  /** Of a report: the watch that has sent it. */
  report: Nullable(
    Type.Object({
      id: Text,
      watch_id: Text,
      tool_id: Text,
      kind: word('done', 'failed', 'parked'),
      words: Type.Optional(
        Type.String({ description: 'What a model says about the report, whose own text is the message’s.' }),
      ),
    }),
  ),
  usage: Nullable(Type.Object({ input_tokens: Count, output_tokens: Count, total_tokens: Count })),
  cost_usd: Count,
  created_at: Time,
  ended_at: Nullable(Time),
});

/** Where a conversation can be begun. */
const BEGUN_IN = ['web', 'extension', 'api'] as const;
const SessionOrigin = Type.Unsafe<BegunIn | 'telegram'>({
  ...word(...BEGUN_IN, 'telegram'),
  description:
    'Where it was begun; `telegram` while it is linked with a chat there. For people to read: it permits nothing.',
});

export const ChatSession = Type.Object({
  id: Text,
  title: Text,
  model: Type.String({ description: 'provider/model of the next message; empty for the default.' }),
  /** The answer that is being written now. */
  task_id: Nullable(Text),
  origin: SessionOrigin,
  message_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
});

const SessionUsage = Type.Object({
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count,
  cache_read_tokens: Count,
  cache_write_tokens: Count,
  answers: Type.Integer(),
  cost_usd: Type.Union([Type.Number(), Type.Null()], {
    description: 'Null where no runtime says and no price is known.',
  }),
  unpriced_answers: Type.Integer({ description: 'Answers whose cost is not known, and not part of the sum.' }),
});

export const SessionsQuery = Type.Object({
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$' })),
  before: Type.Optional(Type.String({ description: 'The updated_at of the last one of the page before.' })),
  search: Type.Optional(Type.String({ maxLength: 200, description: 'In titles and messages.' })),
});
export const SessionsAnswer = Type.Object({ sessions: Type.Array(ChatSession) });
export const MessagesQuery = Type.Object({
  limit: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,3}$', description: '100 unless it is given, 500 at the most.' }),
  ),
  before: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,15}$', description: 'Only messages before the one of this seq.' }),
  ),
});
export const SessionDetail = Type.Object({
  session: ChatSession,
  messages: Type.Array(ChatMessage, { description: 'The latest, in the order in which they were said.' }),
  has_earlier: Type.Boolean({ description: 'There are messages before the first of these.' }),
  usage: SessionUsage,
  /** What the model has read from in this conversation; a write to another site is put to the person. */
  sites: Type.Array(Text),
});
const Title = Type.String({ minLength: 1, maxLength: 200 });
const Model = Type.String({ maxLength: 200, description: 'provider/model; empty for the default.' });
export const NewSession = Type.Object(
  { title: Type.Optional(Title), model: Type.Optional(Model) },
  { additionalProperties: false },
);
export const ChangedSession = Type.Object(
  { title: Type.Optional(Title), model: Type.Optional(Model) },
  { additionalProperties: false, minProperties: 1 },
);

const running = {
  model: Type.Optional(Model),
  approvals: Type.Optional(
    Type.Unsafe<'wait' | 'later'>({
      ...{ type: 'string', enum: ['wait', 'later'] },
      description: 'Whether an answer waits for a person’s yes (default), or the model is told to go on without.',
    }),
  ),
};
export const NewMessage = Type.Object(
  {
    text: Type.String({ maxLength: 200_000 }),
    files: Type.Optional(Type.Array(Text, { maxItems: 10, description: 'Ids from POST …/files.' })),
    replaces: Type.Optional(
      Type.String({ description: 'A message of the person: it and what followed make room for this one.' }),
    ),
    ...running,
  },
  { additionalProperties: false },
);
export const RetryRequest = Type.Object(
  {
    message_id: Type.Optional(Type.String({ description: 'The answer to be given again; else the last one.' })),
    ...running,
  },
  { additionalProperties: false },
);
/** Answered at once; the answer itself comes as events of the task. */
export const StartedAnswer = Type.Object({
  session_id: Text,
  task_id: Text,
  user_message_id: Text,
  assistant_message_id: Text,
  warnings: Type.Array(Text),
});

/** 10 MB as base64. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
/** Text beyond this is not put into the prompt. */
export const MAX_ATTACHED_TEXT_BYTES = 100 * 1024;
export const NewAttachment = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    media_type: Type.Optional(Type.String({ maxLength: 200 })),
    data: Type.String({ description: 'The bytes as base64; at most 10 MB of them.' }),
  },
  { additionalProperties: false },
);
export const Attachment = FilePart;

export const ExportQuery = Type.Object({ format: Type.Optional(word('markdown', 'json')) });

export type ChatPart = Static<typeof ChatPart>;
export type ChatToolPart = Static<typeof ToolPart>;
export type ChatFilePart = Static<typeof FilePart>;
export type ChatMessage = Static<typeof ChatMessage>;
export type ChatSession = Static<typeof ChatSession>;
export type BegunIn = (typeof BEGUN_IN)[number];
export type SessionOrigin = Static<typeof SessionOrigin>;
export type ChatSessionDetail = Static<typeof SessionDetail>;
export type ChatUsage = Static<typeof SessionUsage>;
export type ChatStarted = Static<typeof StartedAnswer>;
export type ChatNewMessage = Static<typeof NewMessage>;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
