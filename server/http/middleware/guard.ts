import type { Context, Next } from 'koa';
import { ForgeError } from '../../../shared/errors.ts';
import { placeOf } from '../../../shared/request-place.ts';

export interface GuardOptions {
  /** The port that is really listened on; known only after listening. */
  port: () => number;
  /** Further origins that may call, such as paired extensions. */
  isPairedOrigin: (origin: string) => boolean;
}

/** Whether a Host names this server; anything else may be another name that was made to point here. */
export function isOwnHost(host: string, port: number): boolean {
  const name = host.toLowerCase();
  return name === pageHost(port) || name === confirmHost(port);
}

/** The page lives under the address, confirmations under the name: to a browser these are two sites. */
const pageHost = (port: number): string => `127.0.0.1:${port}`;
const confirmHost = (port: number): string => `localhost:${port}`;

/**
 * Refuses what another site could make a browser send. An exact Host stops DNS rebinding; Origin and Sec-Fetch-Site stop
 * requests from other pages, those on other ports of this computer included, which browsers count as the same site.
 */
export function guard({ port, isPairedOrigin }: GuardOptions) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const host = ctx.get('host').toLowerCase();
    if (!isOwnHost(host, port())) {
      throw new ForgeError('host_refused', `${JSON.stringify(host.slice(0, 100))} is not a name of this server`);
    }
    const origin = ctx.get('origin');
    if (origin !== '' && !isOwnOrigin(ctx, origin, host, port()) && !isPairedOrigin(origin)) {
      throw new ForgeError('origin_refused', `requests from ${JSON.stringify(origin.slice(0, 100))} are not accepted`);
    }
    const site = ctx.get('sec-fetch-site');
    const isForeign = site !== '' && site !== 'same-origin' && site !== 'none';
    if (isForeign && origin === '' && !isVisit(ctx, host === confirmHost(port()))) {
      throw new ForgeError('origin_refused', 'requests from other sites are not accepted');
    }
    if (host === confirmHost(port()) && placeOf(ctx.path) === 'page') {
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
        throw new ForgeError('not_found', 'there is nothing at this address');
      // Whatever ran under this name could answer confirmations, so the page never does.
      ctx.redirect(`http://${pageHost(port())}${ctx.url}`);
      return;
    }
    await next();
  };
}

/** The page speaks to everything but confirmations, and those to themselves only. */
function isOwnOrigin(ctx: Context, origin: string, host: string, port: number): boolean {
  if (origin !== `http://${host}`) return false;
  return (host === confirmHost(port)) === (placeOf(ctx.path) === 'confirm');
}

/** Following a link to Forge's page is fine, and so is showing a confirmation; loading its data from elsewhere is not. */
function isVisit(ctx: Context, isConfirmHost: boolean): boolean {
  const isNavigation = ctx.method === 'GET' && ctx.get('sec-fetch-mode') === 'navigate';
  const into = ctx.get('sec-fetch-dest');
  switch (placeOf(ctx.path)) {
    case 'api':
      return false;
    case 'confirm':
      return isNavigation && isConfirmHost && (into === 'document' || into === 'iframe');
    case 'page':
      return isNavigation && into === 'document';
  }
}
