import type { Connector, HttpTool } from '../../shared/manifest/connector.ts';
import type { Request } from '../../shared/manifest/schema/tool.ts';
import { Secret } from '../../shared/secret.ts';
import { appendQuery, expandQuery } from '../../shared/template/expand-query.ts';
import { expandRequestBody } from '../../shared/template/expand-request-body.ts';
import { expandUrl, type UrlPrefix } from '../../shared/template/expand-url.ts';
import type { UrlEncoding } from '../../shared/template/url-encode.ts';
import type { AuthPlan } from '../auth/authorize.ts';
import type { LoginStep, SessionPlan, Transport } from '../auth/plan.ts';
import type { HttpRequest } from '../runners/job.ts';
import type { CallScope, FillOptions } from './call-scope.ts';
import { expandFileBody, type FileBody } from './files/expand-file-body.ts';
import { fixedRequest } from './fixed-request.ts';
import { hostSource, type HostSource } from './host-source.ts';
import { encodingsOf } from './url-encodings.ts';

/** A request ready to be sent, the part of its authorisation that takes a request of its own, and who named its host. */
export interface ExpandedHttp {
  request: HttpRequest;
  auth: AuthPlan;
  hosts: HostSource[];
  /** The request without its secrets, where only headers have any: the rest need not be filled in again. */
  shown: (() => HttpRequest) | undefined;
}

const NO_HEADERS: readonly string[] = [];

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
  const reveals = Secret.reveals;
  const address = expandUrl(request.url, scope, { ...options, encodings: encodingByParameter });
  const query: (readonly [string, string])[] =
    request.query === undefined ? [] : expandQuery(request.query, scope, options);
  if (auth.kind === 'static') query.push(...auth.query);
  const url = appendQuery(address, query);
  const filled: FileBody = expandFileBody(request, scope, options) ?? expandRequestBody(request, scope, options);
  const { text: body, payload } = filled;
  const hasNoSecrets = Secret.reveals === reveals && payload === undefined;
  const isShownAsSent = hasNoSecrets && auth.kind === 'static' && auth.query.length === 0;
  const job: HttpRequest = {
    protocol: 'http',
    method: request.method ?? 'GET',
    url,
    headers: typed(headers, filled),
    body,
    timeoutMs: spec.timeout_ms,
    verifyTls: connector.verify_tls,
    captureHeaders: request.capture_response_headers ?? NO_HEADERS,
    hostFrom: trusted(host),
    followRedirects: true,
  };
  if (payload !== undefined) job.payload = payload;
  const login = withTransport(auth, scope, spec.timeout_ms, connector);
  return {
    request: job,
    auth: login.auth,
    hosts: [host, ...login.hosts],
    shown: isShownAsSent
      ? () => ({ ...job, headers: typed(fixedRequest(spec, scope, { ...options, secrets: 'mask' }).headers, filled) })
      : undefined,
  };
}

/** A type that the manifest writes counts, except for a form with files, whose type says where each begins. */
function typed(
  headers: Readonly<Record<string, string>>,
  { type, payload }: FileBody,
): Readonly<Record<string, string>> {
  if (type === null) return headers;
  const isForm = payload !== undefined && type.startsWith('multipart/');
  return isForm ? { ...headers, 'content-type': type } : { 'content-type': type, ...headers };
}

/** An exchange or a login travels as its request does, to hosts of its own. */
function withTransport(
  auth: AuthPlan,
  scope: CallScope,
  timeoutMs: number,
  connector: Connector,
): { auth: AuthPlan; hosts: HostSource[] } {
  if (auth.kind === 'static') return { auth, hosts: [] };
  const hosts: HostSource[] = [];
  const transportTo = (prefix: UrlPrefix): Transport => {
    const host = hostSource(prefix, scope);
    hosts.push(host);
    return { verifyTls: connector.verify_tls, hostFrom: trusted(host), timeoutMs };
  };
  if (auth.kind === 'exchange')
    return { auth: { ...auth, exchange: { ...auth.exchange, transport: transportTo(auth.prefix) } }, hosts };
  const travelling = (step: LoginStep): LoginStep => ({ ...step, transport: transportTo(step.prefix) });
  const { steps, csrf } = auth.session;
  const session: SessionPlan = {
    ...auth.session,
    owner: connector.id,
    steps: steps.map(travelling),
    csrf: csrf !== null && 'step' in csrf.source ? { ...csrf, source: { step: travelling(csrf.source.step) } } : csrf,
  };
  return { auth: { kind: 'session', session }, hosts };
}

function trusted(host: HostSource): 'manifest' | 'person' {
  return host.from === 'manifest' ? 'manifest' : 'person';
}
