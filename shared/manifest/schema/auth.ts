import { Type, type Static } from '@sinclair/typebox';
import { SessionSchema } from './session.ts';
import { closed, mapOf, oneOf, tagged } from './tagged.ts';

const Basic = closed({ type: Type.Literal('basic'), username: Type.String(), password: Type.String() });
const Bearer = closed({ type: Type.Literal('bearer'), token: Type.String() });
const Header = closed({ type: Type.Literal('header'), name: Type.String({ minLength: 1 }), value: Type.String() });
const Query = closed({ type: Type.Literal('query'), name: Type.String({ minLength: 1 }), value: Type.String() });
const None = closed({ type: Type.Literal('none') });
const Exchange = closed({
  type: Type.Literal('bearer-token-exchange'),
  exchange_url: Type.String({ minLength: 1 }),
  exchange_method: Type.Optional(oneOf(['POST', 'GET'])),
  api_token: Type.Optional(Type.String()),
  exchange_auth_header: Type.Optional(Type.String()),
  exchange_body: Type.Optional(Type.Union([mapOf(Type.Unknown()), Type.String()])),
  exchange_headers: Type.Optional(mapOf(Type.String())),
  bearer_path: Type.Optional(Type.String({ minLength: 1 })),
  expires_path: Type.Optional(Type.String({ minLength: 1 })),
  expires_unit: Type.Optional(
    oneOf(
      ['s', 'ms', 'iso'],
      'What expires_path holds: seconds or milliseconds, from now or since 1970, or a date. Needed where the name does not say it.',
    ),
  ),
  expires_ttl_sec: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  bearer_format: Type.Optional(oneOf(['bearer', 'bare'])),
});

/** How http tools prove who they are. A tool's own block replaces the connector's. */
export const AuthSchema = tagged(
  'type',
  {
    basic: Basic,
    bearer: Bearer,
    header: Header,
    query: Query,
    none: None,
    'bearer-token-exchange': Exchange,
    session: SessionSchema,
  },
  { description: 'Applied to every http tool; a tool may override it.' },
);

export type Auth = Static<typeof AuthSchema>;
