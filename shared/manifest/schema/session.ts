import { Type, type Static } from '@sinclair/typebox';
import { closed, mapOf } from './tagged.ts';
import type { Request } from './tool.ts';

const Text = Type.String({ minLength: 1 });
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
/** The definition is the one tools have; tool.ts imports this file's, so it is named and not imported. */
const RequestRef = Type.Unsafe<Request>({ $ref: '#/$defs/request' });

const CaptureSchema = closed(
  {
    path: Type.Optional(Type.String({ minLength: 1, description: 'A dotted path into a JSON answer.' })),
    header: Type.Optional(Type.String({ minLength: 1, description: 'A header of the answer.' })),
    cookie: Type.Optional(Type.String({ minLength: 1, description: 'A cookie of the session.' })),
    regex: Type.Optional(
      Type.String({ minLength: 1, description: 'Takes its first group, from the value or else from the whole body.' }),
    ),
  },
  'Where a value stands in an answer.',
);

const LoginStepSchema = closed({
  request: RequestRef,
  capture: Type.Optional(mapOf(CaptureSchema, '^[A-Za-z_][A-Za-z0-9_]{0,63}$')),
  success_match: Type.Optional(
    closed(
      { path: Text, equals: Scalar },
      'What the answer must say, for services that answer 200 to a failed login as well.',
    ),
  ),
});

const CsrfSchema = closed(
  {
    from: Type.Optional(Type.String({ minLength: 1, description: 'The name of a value that a login step captures.' })),
    request: Type.Optional(RequestRef),
    capture: Type.Optional(CaptureSchema),
    header: Type.Optional(Text),
    form: Type.Optional(Text),
    query: Type.Optional(Text),
  },
  'A token that is added to every request that is not a GET, HEAD or OPTIONS.',
);

const ExpiredSchema = closed(
  {
    path: Type.Optional(Text),
    equals: Type.Optional(Type.Union([Scalar, Type.Array(Scalar, { minItems: 1 })])),
    regex: Type.Optional(Type.String({ minLength: 1, description: 'A pattern in the body.' })),
    redirect: Type.Optional(Type.String({ minLength: 1, description: 'Text in the address of the login page.' })),
  },
  'An answer other than 401 and 403 that means: the session has expired.',
);

/** A login with cookies, for services that have no tokens. */
export const SessionSchema = closed({
  type: Type.Literal('session'),
  login: Type.Array(LoginStepSchema, { minItems: 1, maxItems: 8 }),
  csrf: Type.Optional(CsrfSchema),
  expired_match: Type.Optional(ExpiredSchema),
  ttl_sec: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: 'How long a session is used; 3600 if left out.' }),
  ),
});

export type SessionAuth = Static<typeof SessionSchema>;
export type Capture = Static<typeof CaptureSchema>;
export type ExpiredMatch = Static<typeof ExpiredSchema>;
