import type { Context, Next } from 'koa';
import { ForgeError } from '../../../shared/errors.ts';

export interface GuardOptions {
  /** The port that is really listened on; known only after listening. */
  port: () => number;
  /** Further origins that may call, such as paired extensions. */
  isPairedOrigin: (origin: string) => boolean;
}

/** Whether a Host names this server; anything else may be another name that was made to point here. */
export function isOwnHost(host: string, port: number): boolean {
  const name = host.toLowerCase();
  return name === `127.0.0.1:${port}` || name === `localhost:${port}`;
}

/**
 * Refuses what another site could make a browser send. An exact Host stops DNS rebinding; Origin and Sec-Fetch-Site stop
 * requests from other pages, those on other ports of this computer included, which browsers count as the same site.
 */
export function guard({ port, isPairedOrigin }: GuardOptions) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!isOwnHost(ctx.get('host'), port())) {
      throw new ForgeError(
        'host_refused',
        `${JSON.stringify(ctx.get('host').slice(0, 100))} is not a name of this server`,
      );
    }
    const origin = ctx.get('origin');
    const isOwn = origin.startsWith('http://') && isOwnHost(origin.slice('http://'.length), port());
    if (origin !== '' && !isOwn && !isPairedOrigin(origin)) {
      throw new ForgeError('origin_refused', `requests from ${JSON.stringify(origin.slice(0, 100))} are not accepted`);
    }
    const site = ctx.get('sec-fetch-site');
    const isForeign = site !== '' && site !== 'same-origin' && site !== 'none';
    if (isForeign && origin === '' && !isPageVisit(ctx)) {
      throw new ForgeError('origin_refused', 'requests from other sites are not accepted');
    }
    await next();
  };
}

/** Following a link to Forge's page is fine; loading its data from elsewhere is not. */
function isPageVisit(ctx: Context): boolean {
  return (
    ctx.method === 'GET' &&
    ctx.get('sec-fetch-mode') === 'navigate' &&
    ctx.get('sec-fetch-dest') === 'document' &&
    !isApiPath(ctx.path)
  );
}

/** Paths that need the token, whether or not a route exists there. */
export function isApiPath(path: string): boolean {
  return /^\/(api|mcp|external|engine|metrics|bridge)(\/|$)/.test(path);
}
