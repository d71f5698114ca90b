import { Type, type Static, type TSchema } from '@sinclair/typebox';

const Text = Type.String();
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ description: 'ISO 8601, UTC.' });
const Reason = Type.Object({ code: Text, message: Text });
const word = <W extends string>(...words: W[]) => Type.Unsafe<W>({ type: 'string', enum: words });

export const WatchSummary = Type.Object({
  id: Text,
  title: Text,
  tool_id: Text,
  poll_tool: Text,
  session_id: Nullable(Text),
  parent_id: Nullable(Text),
  depth: Type.Integer(),
  call_id: Text,
  caller: Text,
  state: word('polling', 'parked', 'acting', 'done', 'failed', 'cancelled'),
  /** Why it is parked, or why it has ended. */
  reason: Nullable(Reason),
  progress: Nullable(Text),
  poll_count: Type.Integer(),
  max_polls: Type.Integer(),
  error_count: Type.Integer(),
  run: Type.Integer({ description: 'Counts how often it was begun again.' }),
  interval_sec: Type.Number(),
  created_at: Time,
  deadline_at: Time,
  next_poll_at: Nullable(Time),
  ended_at: Nullable(Time),
});

const PollEntry = Type.Object({
  run: Type.Integer(),
  at: Time,
  outcome: word('going', 'done', 'failed', 'away', 'error'),
  code: Nullable(Text),
  message: Nullable(Text),
  result: Nullable(Type.String({ description: 'The beginning of the result, as JSON.' })),
  duration_ms: Type.Number(),
  call_id: Nullable(Text),
});

const ReportEntry = Type.Object({
  seq: Type.Integer({ description: 'Pages go on with after=<seq of the last one>.' }),
  id: Text,
  watch_id: Text,
  tool_id: Text,
  session_id: Nullable(Text),
  kind: word('done', 'failed', 'parked'),
  reason: Reason,
  text: Type.String({ description: 'As the manifest words it.' }),
  words: Nullable(Type.String({ description: 'What a model says about it, beside the text.' })),
  at: Time,
});

export const WatchDetail = Type.Intersect([
  WatchSummary,
  Type.Object({
    poll_args: Type.Unknown(),
    action: Nullable(Type.Object({ tool_id: Text, args: Type.Unknown(), status: Text, approval_id: Nullable(Text) })),
    polls: Type.Array(PollEntry, { description: 'The latest first.' }),
    reports: Type.Array(
      Type.Intersect([
        ReportEntry,
        Type.Object({
          state: Text,
          deliveries: Type.Array(
            Type.Object({ channel: Text, state: Text, attempts: Type.Integer(), problem: Nullable(Text) }),
          ),
        }),
      ]),
    ),
  }),
]);

export const WatchesQuery = Type.Object({
  session: Type.Optional(Text),
  active: Type.Optional(word('true', 'false')),
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
});
export const WatchesAnswer = Type.Object({ watches: Type.Array(WatchSummary) });
export const ReportsQuery = Type.Object({
  session: Type.Optional(Text),
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
});
export const ReportsAnswer = Type.Object({ reports: Type.Array(ReportEntry) });

export type WatchSummary = Static<typeof WatchSummary>;
export type WatchDetail = Static<typeof WatchDetail>;
