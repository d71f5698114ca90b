import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { JsonValue } from './json.ts';

const Text = Type.String();
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ description: 'ISO 8601, UTC.' });

export const Approval = Type.Object({
  id: Text,
  kind: Text,
  tool_id: Text,
  connector_id: Text,
  args: Type.Unknown(),
  host: Nullable(Text),
  caller: Text,
  reason: Text,
  status: Text,
  created_at: Time,
  expires_at: Time,
  decided_by: Nullable(
    Type.String({
      description:
        '`person`: in Forge or in the browser. `client`: an MCP client, which may have shown the question to a person or not.',
    }),
  ),
  session_id: Nullable(Text),
  read_from: Nullable(Type.Array(Text, { description: 'Other sites that were read before and may have led to it.' })),
});
export const ApprovalsAnswer = Type.Object({
  approvals: Type.Array(Approval),
  next: Nullable(
    Type.String({ description: 'Where the next page begins: `after` of the next request. Null on the last.' }),
  ),
  waiting: Type.Integer({ description: 'How many wait for a person, on this page or not.' }),
});
export const ApprovalsQuery = Type.Object({
  all: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  session: Type.Optional(Type.String({ description: 'Only those of this conversation.' })),
  order: Type.Optional(
    Type.Union([Type.Literal('newest'), Type.Literal('oldest')], { description: 'newest unless it is given.' }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,3}$', description: '50 unless it is given, 200 at the most.' }),
  ),
  after: Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of the page before.' })),
});
const standingLimits = {
  conditions: Type.Optional(Type.Unsafe<Record<string, JsonValue>>({ type: 'object' })),
  max_uses: Type.Optional(Type.Integer({ minimum: 1 })),
  until: Type.Optional(Time),
  session_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only calls of this conversation.' })),
};
export const DecisionRequest = Type.Object(
  {
    decision: Type.Union([Type.Literal('approve'), Type.Literal('deny')]),
    standing: Type.Optional(Type.Object(standingLimits, { additionalProperties: false })),
  },
  { additionalProperties: false },
);
export const AllowRequest = Type.Object({ tool_id: Text, ...standingLimits }, { additionalProperties: false });
const StandingApproval = Type.Object({
  id: Text,
  tool_id: Text,
  connector_id: Text,
  conditions: Type.Record(Text, Type.Unknown(), { description: 'Arguments and the values they must have.' }),
  remaining: Nullable(Type.Integer({ description: 'How many more calls; null for no limit.' })),
  until: Nullable(Time),
  session_id: Nullable(Text),
  read_from: Nullable(Type.Array(Text)),
  created_at: Time,
  used: Type.Integer(),
  active: Type.Boolean({ description: 'False once it is used up or its time is over.' }),
});
export const StandingAnswer = Type.Object({ standing: Type.Array(StandingApproval) });

export type Approval = Static<typeof Approval>;
export type ApprovalList = Static<typeof ApprovalsAnswer>;
export type StandingApproval = Static<typeof StandingApproval>;
export type StandingList = Static<typeof StandingAnswer>;
