import { Type, type Static, type TSchema } from '@sinclair/typebox';

const Text = Type.String();
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ description: 'ISO 8601, UTC.' });

const CallRow = Type.Object({
  seq: Type.Integer({ description: 'Pages go on with before=<seq of the last one>.' }),
  id: Text,
  at: Time,
  caller: Text,
  tool_id: Text,
  connector_id: Text,
  args: Type.Unknown(),
  outcome: Type.String({
    description:
      '`ok`, `error`, `started` while it runs, or `interrupted`: Forge ended meanwhile, and it is not known whether it took effect.',
  }),
  code: Nullable(Text),
  message: Nullable(Text),
  duration_ms: Type.Number(),
  approval: Type.Optional(
    Type.String({
      description:
        'For `approval_required`, what has become of the question: `pending`, `approved`, `used`, `denied` or `expired`. Left out once the question is forgotten.',
    }),
  ),
});
export const CallsQuery = Type.Object({
  tool: Type.Optional(Text),
  connector: Type.Optional(Text),
  outcome: Type.Optional(
    Type.Union([Type.Literal('ok'), Type.Literal('error'), Type.Literal('started'), Type.Literal('interrupted')]),
  ),
  caller: Type.Optional(Text),
  search: Type.Optional(Text),
  since: Type.Optional(Text),
  until: Type.Optional(Text),
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
  before: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
});
export const CallsAnswer = Type.Object({ calls: Type.Array(CallRow) });
export const CallDetail = Type.Intersect([CallRow, Type.Object({ stages: Type.Unknown(), trace: Type.Unknown() })]);
export const VerifyQuery = Type.Object({
  since: Type.Optional(
    Type.String({ maxLength: 60, description: 'A head that was noted before: 1042:9f8e7d6c5b4a3210.' }),
  ),
});
export const VerifyAnswer = Type.Object({
  ok: Type.Boolean(),
  checked: Type.Integer({ description: 'Rows that hold.' }),
  calls: Type.Integer({ description: 'Calls among them; one that changes something has two rows.' }),
  keyless: Type.Integer({ description: 'Rows from before the log had a key.' }),
  unkeyed: Type.Integer({ description: 'Rows that were written while the key could not be read.' }),
  open: Type.Integer({ description: 'Calls that have not ended.' }),
  head: Nullable(Type.String({ description: 'The newest row. Noted elsewhere, it is what `since` takes.' })),
  pruned: Type.Array(
    Type.Object({ at: Time, from: Type.Integer(), to: Type.Integer(), count: Type.Integer(), why: Text }),
    { description: 'What Forge itself has removed, the newest first.' },
  ),
  sincePruned: Type.Optional(Type.Boolean({ description: 'The noted row has been pruned since.' })),
  firstBroken: Type.Optional(Type.Object({ seq: Type.Integer(), id: Nullable(Text), reason: Text })),
});

export type CallRow = Static<typeof CallRow>;
export type CallDetail = Static<typeof CallDetail>;
export type VerifyAnswer = Static<typeof VerifyAnswer>;
