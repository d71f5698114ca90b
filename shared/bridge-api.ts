// How a paired browser uses the HTTP API over the bridge; the server answers only for a browser that a person lets manage Forge.
import { Type, type Static } from '@sinclair/typebox';

/** The one thing that every paired browser may ask, because its popup shows it. */
export const GLANCE_PATH = '/api/glance';

const Short = Type.String({ maxLength: 200 });

/** One request. The body is text, or base64 of what is not. */
export const ApiCallParams = Type.Object({
  method: Type.Union([
    Type.Literal('GET'),
    Type.Literal('POST'),
    Type.Literal('PUT'),
    Type.Literal('PATCH'),
    Type.Literal('DELETE'),
  ]),
  path: Type.String({ pattern: '^/api/', maxLength: 4000 }),
  type: Type.Union([Short, Type.Null()]),
  body: Type.Union([Type.String(), Type.Null()]),
  base64: Type.Boolean(),
  /** Server-sent events come as `api.text` notifications while the request is under way. */
  stream: Type.Boolean(),
});
/** The answer's own text, or base64 of it, is the frame's body. */
export const ApiCallResult = Type.Object({ status: Type.Integer(), type: Type.String(), base64: Type.Boolean() });
export const ApiTextParams = Type.Object({ id: Type.Integer(), text: Type.String() });
export const ApiCancelParams = Type.Object({ id: Type.Integer() });

export type ApiCall = Static<typeof ApiCallParams>;
export type ApiCallAnswer = Static<typeof ApiCallResult>;
export type ApiText = Static<typeof ApiTextParams>;
export type ApiCancel = Static<typeof ApiCancelParams>;
