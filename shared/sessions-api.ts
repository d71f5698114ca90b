import { Type, type Static } from '@sinclair/typebox';

const Text = Type.String();
const Time = Type.String({ description: 'ISO 8601, UTC.' });

export const LoginRequest = Type.Union([
  Type.Object({ code: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
  Type.Object({ token: Type.String({ maxLength: 1024 }) }, { additionalProperties: false }),
]);
export const LoginAnswer = Type.Object({
  page_key: Type.String({ description: 'The page sends it as X-Forge-Page-Key, besides its cookie.' }),
});
export const LoginCodeAnswer = Type.Object({ code: Text, expires_at: Time });
export const PageSessionsAnswer = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Text,
      user_agent: Type.String({ description: 'What the browser calls itself.' }),
      created_at: Time,
      last_used_at: Time,
      expires_at: Type.String({ description: 'Unless it is used before.' }),
      current: Type.Boolean({ description: 'The page that asks.' }),
    }),
  ),
});

export type LoginAnswer = Static<typeof LoginAnswer>;
export type PageSessionList = Static<typeof PageSessionsAnswer>;
