import type { Context, Next } from 'koa';
import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { ownValue } from '../../../shared/json.ts';
import type { Log } from '../../log.ts';
import { MCP_PATH } from './require-token.ts';

/** One failure in the one error shape, as text that can be sent. */
interface ToldError {
  error: ForgeError;
  json: string;
}

/** Says what went wrong to whoever asked; `where` is for the log. */
export type TellError = (failure: unknown, where: Readonly<Record<string, string>>) => ToldError;

/** What was not foreseen is logged whole and told without its insides. */
export function tellErrors(log: Log, redact: (text: string) => string): TellError {
  return (failure, where) => {
    const error = asForgeError(failure);
    if (error.status >= 500) log.error({ error: failure, ...where }, error.message);
    const { code, message, hint, details } = error;
    const body = { error: { code, message, hint, ...(details === undefined ? {} : { details }) } };
    return { error, json: redact(JSON.stringify(body)) };
  };
}

/** Turns every failure into the one error shape. */
export function answerErrors(tellError: TellError) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (failure) {
      const requestId = String(ctx.state['requestId'] ?? '');
      const { error, json } = tellError(failure, { requestId, method: ctx.method, path: ctx.path });
      ctx.status = error.status;
      const wait: unknown = ownValue(error.details, 'retry_after_sec');
      // It names no authorization server: a client that is told of one, or of nothing, would begin a login that leads nowhere.
      if (error.status === 401 && ctx.path === MCP_PATH) ctx.set('WWW-Authenticate', 'Bearer');
      if (typeof wait === 'number') ctx.set('Retry-After', String(wait));
      ctx.type = 'application/json';
      ctx.body = json;
      // A refused body may still be on its way; the connection is not worth keeping.
      if (!ctx.req.complete) ctx.set('Connection', 'close');
    }
  };
}

function asForgeError(error: unknown): ForgeError {
  if (isForgeError(error)) return error;
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  if (status === 400) return new ForgeError('invalid_request', 'the request cannot be read', { cause: error });
  return new ForgeError('internal', 'something went wrong inside Forge', { cause: error });
}
