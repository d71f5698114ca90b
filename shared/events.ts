// Everything that happens and that a page, a client or another part of Forge may want to know of at once.
import { Type, type Static } from '@sinclair/typebox';

const Text = Type.String();
const OrNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);
const event = <T extends string, P extends Parameters<typeof Type.Object>[0]>(type: T, fields: P) =>
  Type.Object({ type: Type.Literal(type), ...fields });

/** Which watch it is about, and the conversation that it belongs to. */
const ofWatch = { watch_id: Text, tool_id: Text, session_id: OrNull(Text) };
const Reason = Type.Object({ code: Text, message: Text });

/** One thing that happened. No event carries a secret, an argument or a whole result. */
export const ForgeEvent = Type.Union([
  event('watch.started', ofWatch),
  /** `text` is what a chip shows; null where the manifest shows none. It is never part of the conversation. */
  event('watch.progress', {
    ...ofWatch,
    poll_count: Type.Integer(),
    max_polls: Type.Integer(),
    text: OrNull(Text),
  }),
  event('watch.parked', { ...ofWatch, reason: Reason }),
  event('watch.resumed', ofWatch),
  event('watch.ended', { ...ofWatch, state: Text, reason: Reason }),
  /** Something to be read in a conversation, or by whoever started the watch where there is none. */
  event('report.added', { ...ofWatch, report_id: Text, kind: Text, text: Text, words: OrNull(Text) }),
  /** What a task says and does meanwhile is at GET /api/v2/tasks/:id/events. */
  event('task.changed', { task_id: Text, session_id: OrNull(Text), provider: Text, status: Text, code: OrNull(Text) }),
  /** Somebody else's runtime has reported a result to POST /api/v2/callbacks. */
  event('step.completed', { task_id: Text, status: Text, code: OrNull(Text) }),
  /** A conversation; its messages have events of their own. */
  event('chat.session', { session_id: Text, change: Text }),
  /** Whoever shows the conversation reads the message again, and follows its task while it is being written. */
  event('chat.message', {
    ...{ session_id: Text, message_id: Text, role: Text, status: Text, task_id: OrNull(Text) },
    change: Type.Union([Type.Literal('added'), Type.Literal('changed'), Type.Literal('removed')]),
  }),
  /** A person is asked, has answered, or the answer was used. */
  event('approval.changed', { approval_id: Text, session_id: OrNull(Text), tool_id: Text, status: Text }),
  /** There may be other browsers that ask to be paired than before; GET /api/browsers has them. */
  event('browser.asking', {}),
  event('call.ended', { call_id: Text, tool_id: Text, connector_id: Text, caller: Text, code: OrNull(Text) }),
]);

export type ForgeEvent = Static<typeof ForgeEvent>;

/** Told to whoever comes back too late for what they missed: what they know is old, and has to be read again. */
export const RESET_EVENT = 'reset';

/** The first on every line that is listened to: from here on nothing is missed, so what is read now is whole. */
export const HELLO_EVENT = 'hello';
