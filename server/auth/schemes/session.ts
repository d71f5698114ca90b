import type { Capture, SessionAuth } from '../../../shared/manifest/schema/session.ts';
import type { Request } from '../../../shared/manifest/schema/tool.ts';
import { Secret } from '../../../shared/secret.ts';
import { expandHeaders } from '../../../shared/template/expand-header.ts';
import { appendQuery, expandQuery } from '../../../shared/template/expand-query.ts';
import { expandRequestBody } from '../../../shared/template/expand-request-body.ts';
import { expandUrl, urlPrefix } from '../../../shared/template/expand-url.ts';
import { parseTemplate, tokensIn } from '../../../shared/template/parse.ts';
import { isEmpty, isSetting, lookUp, type Scope } from '../../../shared/template/scope.ts';
import {
  NO_AUTH,
  type Captured,
  type CsrfPlan,
  type LoginRequest,
  type LoginStep,
  type PlanOptions,
  type Scheme,
} from '../plan.ts';

type Step = SessionAuth['login'][number];

const TTL_SEC = 3600;

/** A login that leaves cookies. It is filled from settings alone: one session serves every call, whatever its arguments are. */
export const session: Scheme<SessionAuth> = (auth, scope, options) => {
  const own: Scope = { settings: scope.settings };
  // A service that can be read without a login is, until somebody has saved one (W-06).
  if (auth.login.some(({ request }) => lacksSetting(request, own, options))) return NO_AUTH;
  const steps = auth.login.map((step) => planStep(step, own, options));
  return {
    kind: 'session',
    session: {
      steps,
      csrf: planCsrf(auth.csrf, own, options),
      expired: auth.expired_match ?? null,
      ttlSec: auth.ttl_sec ?? TTL_SEC,
      identity: JSON.stringify(steps.map(({ request }) => request(namesOf(auth.login)))),
    },
  };
};

function planStep({ request, capture, success_match }: Step, scope: Scope, options: PlanOptions): LoginStep {
  return {
    prefix: urlPrefix(request.url, scope, options),
    request: (captured) => loginRequest(request, { ...scope, captured }, options),
    capture: capture ?? {},
    successMatch: success_match ?? null,
  };
}

function planCsrf(csrf: SessionAuth['csrf'], scope: Scope, options: PlanOptions): CsrfPlan | null {
  if (csrf === undefined) return null;
  const place = csrf.header !== undefined ? 'header' : csrf.form !== undefined ? 'form' : 'query';
  const name = csrf[place] ?? '';
  if (csrf.request === undefined) return { source: { captured: csrf.from ?? '' }, place, name };
  const capture: Record<string, Capture> = csrf.capture === undefined ? {} : { csrf: csrf.capture };
  return { source: { step: planStep({ request: csrf.request, capture }, scope, options) }, place, name };
}

function loginRequest(request: Request, scope: Scope, options: PlanOptions): LoginRequest {
  const headers = expandHeaders(request.headers ?? {}, scope, options);
  const { text: body, type } = expandRequestBody(request, scope, options);
  return {
    method: request.method ?? 'GET',
    url: appendQuery(expandUrl(request.url, scope, options), expandQuery(request.query ?? {}, scope, options)),
    headers: {
      ...(type === null ? {} : { 'content-type': type }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    },
    body,
  };
}

/** Stands for what is not known before the login: the names of what it captures. */
export function namesOf(login: readonly Pick<LoginStep, 'capture'>[] | SessionAuth['login']): Captured {
  const names = login.flatMap(({ capture }) => Object.keys(capture ?? {}));
  return Object.fromEntries(names.map((name) => [name, new Secret(name)]));
}

/** Whether a login would send an empty user name or password. */
function lacksSetting({ url: _url, ...sent }: Request, scope: Scope, { bareNames }: PlanOptions): boolean {
  return tokensIn(parseTemplate(JSON.stringify(sent), bareNames)).some(
    (token) => isSetting(token) && isEmpty(lookUp(scope, token)),
  );
}
