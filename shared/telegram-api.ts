import { Type, type Static, type TSchema } from '@sinclair/typebox';

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ description: 'ISO 8601, UTC.' });

export const TelegramAnswer = Type.Object({
  ready: Type.Boolean({ description: 'Whether a bot token is saved.' }),
  chat: Nullable(Type.Object({ name: Type.String(), linked_at: Time })),
  /** What the person sends to the bot, from the chat that is to be linked. */
  waiting: Nullable(Type.Object({ code: Type.String(), link: Type.String(), expires_at: Time })),
});

export type TelegramState = Static<typeof TelegramAnswer>;
