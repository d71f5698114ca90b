// What server and extension tell each other about a person's answers.
import { Type, type Static } from '@sinclair/typebox';

const CallId = Type.String({ maxLength: 200 });

/** A person is being asked about a call in the browser, or has answered there. */
export const AskingParams = Type.Object({
  call_id: CallId,
  state: Type.Union([Type.Literal('asked'), Type.Literal('approved'), Type.Literal('denied')]),
});

/** A person has answered elsewhere; the browser need not ask any longer. */
export const DecideParams = Type.Object({ call_id: CallId, approved: Type.Boolean() });

/** The person said yes to a call, and that its tool need not ask again: for so many calls and so long, whichever ends first. */
export const AllowedParams = Type.Object({
  call_id: CallId,
  max_uses: Type.Integer({ minimum: 1, maximum: 1000 }),
  for_ms: Type.Integer({ minimum: 1, maximum: 24 * 60 * 60_000 }),
});

export type Allowed = Static<typeof AllowedParams>;
export type Asking = Static<typeof AskingParams>;
/** What a browser tells of a person's answers. */
export type Said = ['allowed', Allowed] | ['asking', Asking];
