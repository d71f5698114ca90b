import type { Context, Next } from 'koa';
import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { ownValue } from '../../../shared/json.ts';
import type { Log } from '../../log.ts';

/** Turns every failure into the one error shape. What was not foreseen is logged whole and told without its insides. */
export function answerErrors(log: Log, redact: (text: string) => string) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      const known = asForgeError(error);
      const requestId = String(ctx.state['requestId'] ?? '');
      if (known.status >= 500) log.error({ error, requestId, method: ctx.method, path: ctx.path }, known.message);
      ctx.status = known.status;
      const body = {
        error: {
          code: known.code,
          message: known.message,
          hint: known.hint,
          ...(known.details === undefined ? {} : { details: known.details }),
        },
      };
      const wait: unknown = ownValue(known.details, 'retry_after_sec');
      if (typeof wait === 'number') ctx.set('Retry-After', String(wait));
      ctx.type = 'application/json';
      ctx.body = redact(JSON.stringify(body));
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
