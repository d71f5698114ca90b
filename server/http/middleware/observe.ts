import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Log } from '../../log.ts';
import type { Metrics } from '../metrics.ts';

/** Gives each request an id, a log line and its place in the metrics. Paths are counted by route, never as sent. */
export function observe(log: Log, metrics: Metrics) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const requestId = randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    const started = performance.now();
    try {
      await next();
    } finally {
      const seconds = (performance.now() - started) / 1000;
      const route = String(ctx.state['route'] ?? 'none');
      metrics.request(ctx.method, route, ctx.status, seconds);
      log.debug(
        { requestId, method: ctx.method, route, status: ctx.status, ms: Math.round(seconds * 1000) },
        'request',
      );
    }
  };
}
