import type { Context, Next } from 'koa';
import { ForgeError } from '../../../shared/errors.ts';

/**
 * A connection that was open when Forge stopped listening would otherwise carry one request after the other until it is cut, in the
 * middle of the last. So it ends with the answer that is under way, and whoever asks for more is told.
 */
export function endWhenStopping(isStopping: () => boolean) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      if (isStopping()) throw new ForgeError('shutting_down', 'Forge is stopping');
      await next();
    } finally {
      if (isStopping() && !ctx.headerSent) ctx.set('Connection', 'close');
    }
  };
}
