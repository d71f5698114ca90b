import type { Auth } from '../../../shared/manifest/schema/auth.ts';
import { expandForm } from '../../../shared/template/expand-form.ts';
import { expandHeader, expandHeaders } from '../../../shared/template/expand-header.ts';
import { expandBody } from '../../../shared/template/expand-json.ts';
import { expandText } from '../../../shared/template/expand-text.ts';
import { expandUrl, urlPrefix } from '../../../shared/template/expand-url.ts';
import { onlyToken, parseTemplate } from '../../../shared/template/parse.ts';
import type { Scope } from '../../../shared/template/scope.ts';
import { NO_AUTH, type ExchangeRequest, type PlanOptions, type Scheme } from '../plan.ts';

type Exchange = Extract<Auth, { type: 'bearer-token-exchange' }>;
type Login = Pick<ExchangeRequest, 'headers' | 'body' | 'identity'>;

const API_TOKEN = 'api_token';

/** A short-lived bearer in return for an API token or a login (C-63, C-64); defaults as the table of the format has them. */
export const bearerTokenExchange: Scheme<Exchange> = (auth, scope, options) => {
  const login = auth.exchange_body === undefined ? headerLogin(auth, scope, options) : bodyLogin(auth, scope, options);
  if (login === null) return NO_AUTH;
  const url = parseTemplate(auth.exchange_url, options.bareNames);
  return {
    kind: 'exchange',
    exchange: {
      ...login,
      url: expandUrl(url, scope, options),
      method: auth.exchange_method ?? 'POST',
      bearerPath: expandText(auth.bearer_path ?? '', scope, options) || 'bearerToken',
      expiresPath: expandText(auth.expires_path ?? '', scope, options) || 'expiresInMilliseconds',
      expiresUnit: auth.expires_unit ?? null,
      ttlSec: auth.expires_ttl_sec ?? 300,
      format: auth.bearer_format ?? 'bearer',
    },
    prefix: urlPrefix(url, scope, options),
  };
};

/** The token goes out in a header; without one there is nothing to exchange (W-06). */
function headerLogin(auth: Exchange, scope: Scope, options: PlanOptions): Login | null {
  const token = expandHeader(auth.api_token ?? '', scope, options)?.trim() ?? '';
  if (token === '') return null;
  const withToken: Scope = { ...scope, bare: { ...scope.bare, [API_TOKEN]: token } };
  const template = auth.exchange_auth_header ?? `token {${API_TOKEN}}`;
  const value = expandHeader(template, withToken, { ...options, bareNames: new Set(options.bareNames).add(API_TOKEN) });
  const authorization: Record<string, string> = value === null || value === '' ? {} : { authorization: value };
  return { headers: { ...authorization, ...extraHeaders(auth, scope, options) }, body: null, identity: token };
}

function bodyLogin(auth: Exchange, scope: Scope, options: PlanOptions): Login {
  const extra = extraHeaders(auth, scope, options);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(extra['content-type'] ?? '');
  const body = isForm ? formText(auth.exchange_body, scope, options) : jsonText(auth.exchange_body, scope, options);
  const type: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' };
  return { headers: { ...type, ...extra }, body, identity: body ?? '' };
}

function jsonText(spec: Exchange['exchange_body'], scope: Scope, options: PlanOptions): string | null {
  const body = expandBody(spec, scope, options);
  if (body === null) return null;
  return body.kind === 'json' ? JSON.stringify(body.value) : body.text;
}

/** A form for servers that want one. Text is split into fields before it is filled, so that a value can never add a field. */
function formText(spec: Exchange['exchange_body'], scope: Scope, options: PlanOptions): string | null {
  if (typeof spec !== 'string') return new URLSearchParams(expandForm(spec ?? {}, scope, options)).toString();
  if (onlyToken(parseTemplate(spec, options.bareNames))) return jsonText(spec, scope, options);
  const fields = Object.fromEntries(new URLSearchParams(spec.trim()));
  return new URLSearchParams(expandForm(fields, scope, options)).toString();
}

/** In lower case, so that what the manifest says replaces a default however it is spelled. */
function extraHeaders(auth: Exchange, scope: Scope, options: PlanOptions): Record<string, string> {
  const headers = expandHeaders(auth.exchange_headers ?? {}, scope, options);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
