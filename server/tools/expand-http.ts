import type { Connector, HttpTool } from '../../shared/manifest/connector.ts';
import type { Request } from '../../shared/manifest/schema/tool.ts';
import { expandForm, injectForm, injectRows } from '../../shared/template/expand-form.ts';
import { expandBody } from '../../shared/template/expand-json.ts';
import { appendQuery, expandQuery } from '../../shared/template/expand-query.ts';
import { expandUrl } from '../../shared/template/expand-url.ts';
import type { UrlEncoding } from '../../shared/template/url-encode.ts';
import type { AuthPlan } from '../auth/authorize.ts';
import type { HttpRequest } from '../runners/job.ts';
import type { CallScope, FillOptions } from './call-scope.ts';
import { fixedRequest } from './fixed-request.ts';
import { hostSource, type HostSource } from './host-source.ts';
import { encodingsOf } from './url-encodings.ts';

/** A request ready to be sent, the part of its authorisation that takes a request of its own, and who named its host. */
export interface ExpandedHttp {
  request: HttpRequest;
  auth: AuthPlan;
  hosts: HostSource[];
}

interface HttpSpec {
  /** The tool, or the connector whose test it is. */
  owner: object;
  request: Request;
  auth: HttpTool['auth'];
  timeout_ms: number;
  encodings: Record<string, UrlEncoding>;
}

/** Stage 6 for http tools. */
export function expandHttpTool(
  tool: HttpTool,
  connector: Connector,
  scope: CallScope,
  options: FillOptions,
): ExpandedHttp {
  const { request, auth, timeout_ms } = tool;
  return expandHttp(
    { owner: tool, request, auth, timeout_ms, encodings: encodingsOf(tool) },
    connector,
    scope,
    options,
  );
}

/** The same for the request of a test block, which has no parameters. */
export function expandHttp(spec: HttpSpec, connector: Connector, scope: CallScope, options: FillOptions): ExpandedHttp {
  const { request, encodings: encodingByParameter } = spec;
  const { auth, host, headers } = fixedRequest(spec, scope, options);
  const address = expandUrl(request.url, scope, { ...options, encodings: encodingByParameter });
  const query: (readonly [string, string])[] =
    request.query === undefined ? [] : expandQuery(request.query, scope, options);
  if (auth.kind === 'static') query.push(...auth.query);
  const url = appendQuery(address, query);
  const { text: body, type } = bodyOf(request, scope, options);
  const exchangeHost = auth.kind === 'exchange' ? hostSource(auth.prefix, scope) : null;
  return {
    request: {
      protocol: 'http',
      method: request.method ?? 'GET',
      url,
      headers: type === null ? headers : { 'content-type': type, ...headers },
      body,
      timeoutMs: spec.timeout_ms,
      verifyTls: connector.verify_tls,
      captureHeaders: request.capture_response_headers ?? [],
      hostFrom: trusted(host),
      followRedirects: true,
    },
    auth:
      auth.kind === 'exchange' && exchangeHost !== null
        ? withTransport(auth, exchangeHost, spec.timeout_ms, connector)
        : auth,
    hosts: exchangeHost === null ? [host] : [host, exchangeHost],
  };
}

/** An exchange travels as its request does, to a host of its own. */
function withTransport(
  auth: Extract<AuthPlan, { kind: 'exchange' }>,
  host: HostSource,
  timeoutMs: number,
  connector: Connector,
): AuthPlan {
  const transport = { verifyTls: connector.verify_tls, hostFrom: trusted(host), timeoutMs };
  return { ...auth, exchange: { ...auth.exchange, transport } };
}

function trusted(host: HostSource): 'manifest' | 'person' {
  return host.from === 'manifest' ? 'manifest' : 'person';
}

function bodyOf(
  request: Request,
  scope: CallScope,
  options: FillOptions,
): { text: string | null; type: string | null } {
  const { body_form, body_form_inject, body_form_inject_from } = request;
  if (body_form !== undefined || body_form_inject !== undefined || body_form_inject_from !== undefined) {
    let entries = body_form === undefined ? [] : expandForm(body_form, scope, options);
    if (body_form_inject !== undefined) entries = injectForm(entries, body_form_inject, scope, options);
    // The chosen instance's own rows lie over those of the top level.
    if (body_form_inject_from !== undefined)
      entries = injectRows(entries, scope.settings[body_form_inject_from], options);
    return { text: new URLSearchParams(entries).toString(), type: 'application/x-www-form-urlencoded' };
  }
  const body = request.body === undefined ? null : expandBody(request.body, scope, options);
  if (body === null) return { text: null, type: null };
  if (body.kind === 'json') return { text: JSON.stringify(body.value), type: 'application/json' };
  return { text: body.text, type: /^\s*[[{]/.test(body.text) ? 'application/json' : 'text/plain; charset=utf-8' };
}
