import type { Context, Next } from 'koa';
import { ForgeError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { placeOf } from '../../../shared/request-place.ts';
import { JSON_TYPE } from '../dispatch.ts';
import { parseJson, readBody } from '../read-body.ts';
import { confirmDocument, confirmPolicy, loadConfirmAssets, type ConfirmAssets } from './confirm-document.ts';
import type { Confirmations } from './confirmations.ts';

const DOCUMENT = /^\/confirm\/([0-9a-f]{32})$/;
const STATE = /^\/confirm\/([0-9a-f]{32})\/state$/;
const BODY_LIMIT = 1024;

interface ServeOptions {
  port: () => number;
  confirmations: Confirmations;
}

/**
 * Where a person confirms what the page has asked for. The page is http://127.0.0.1:<port>, this is http://localhost:<port>: to a browser they
 * are different sites, so a script in the page can show this document and do nothing in it or in its name.
 */
export function serveConfirmations({ port, confirmations }: ServeOptions) {
  let assets: ConfirmAssets | null = null;
  return async (ctx: Context, next: Next): Promise<void> => {
    if (placeOf(ctx.path) !== 'confirm') {
      await next();
      return;
    }
    ctx.state['route'] = '/confirm/:id';
    const own = `localhost:${port()}`;
    const documentId = DOCUMENT.exec(ctx.path)?.[1];
    const stateId = STATE.exec(ctx.path)?.[1];
    if (ctx.get('host').toLowerCase() !== own) throw nothingHere();
    if (ctx.method === 'GET' && documentId !== undefined) {
      assets ??= loadConfirmAssets();
      showDocument(ctx, confirmations, documentId, assets, `http://127.0.0.1:${port()}`);
    } else if (ctx.method === 'GET' && stateId !== undefined) {
      requireOwnScript(ctx, null);
      ctx.body = { state: confirmations.state(stateId) ?? 'gone' };
    } else if (ctx.method === 'POST' && documentId !== undefined) {
      requireOwnScript(ctx, `http://${own}`);
      await decide(ctx, confirmations, documentId);
    } else throw nothingHere();
  };
}

function showDocument(
  ctx: Context,
  confirmations: Confirmations,
  id: string,
  assets: ConfirmAssets,
  pageOrigin: string,
): void {
  const described = confirmations.describe(id);
  ctx.status = described === null ? 404 : 200;
  ctx.remove('X-Frame-Options');
  ctx.set('Content-Security-Policy', confirmPolicy(assets, pageOrigin));
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = confirmDocument(described, pageOrigin, assets);
}

/** Browsers set these headers themselves, and no script can change them. */
function requireOwnScript(ctx: Context, origin: string | null): void {
  if (ctx.get('sec-fetch-site') === 'same-origin' && (origin === null || ctx.get('origin') === origin)) return;
  throw new ForgeError('origin_refused', 'only the confirmation itself may answer it');
}

async function decide(ctx: Context, confirmations: Confirmations, id: string): Promise<void> {
  if (!JSON_TYPE.test(ctx.get('content-type')))
    throw new ForgeError('unsupported_media_type', 'the body must be application/json');
  const body = parseJson(await readBody(ctx.req, BODY_LIMIT));
  const decision = isRecord(body) ? body['decision'] : undefined;
  if (decision !== 'confirmed' && decision !== 'cancelled')
    throw new ForgeError('invalid_request', 'the decision must be confirmed or cancelled');
  if (!confirmations.decide(id, decision)) throw nothingHere();
  ctx.status = 204;
}

function nothingHere(): ForgeError {
  return new ForgeError('not_found', 'nothing waits to be confirmed here');
}
