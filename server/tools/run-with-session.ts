import { ForgeError } from '../../shared/errors.ts';
import { appendQuery } from '../../shared/template/expand-query.ts';
import { Secret } from '../../shared/secret.ts';
import type { CsrfPlan, SessionPlan } from '../auth/plan.ts';
import { secretsOf, type Session, type Sessions } from '../auth/sessions.ts';
import type { HttpRequest, RunContext, Runner } from '../runners/job.ts';
import type { HttpResponse, Response } from '../runners/response.ts';
import { withField } from './files/multipart.ts';
import type { TimeLeft } from './run-tool.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** As a dry run shows a form with files. */
const MULTIPART = /^multipart\/form-data$/i;
const FORM = /^application\/x-www-form-urlencoded\b/i;

const MASK = String(new Secret(''));

/**
 * A session that the service no longer takes is replaced once, and the request sent once more: if it only reads, or if the answer says
 * that it was refused. A request that may have changed something is not sent again because a page looks like a login.
 */
export async function runWithSession(
  http: Runner<HttpRequest>,
  sessions: Sessions,
  job: HttpRequest,
  plan: SessionPlan,
  context: RunContext,
  left: TimeLeft,
): Promise<Response> {
  const { signal, onStage } = context;
  const { host } = new URL(job.url);
  const first = await sessions.get(plan, { signal, timeoutMs: job.timeoutMs });
  onStage?.('auth');
  const response = await runOnce(http, sessions, job, plan, first, context, left);
  const state = await sessions.stateOf(plan, response, signal);
  if (state === 'live') return response;
  const fresh = await sessions.get(plan, { signal, timeoutMs: left(), force: first });
  if (state === 'unsure' && !READS.has(job.method)) throw expired(host);
  const again = await runOnce(http, sessions, job, plan, fresh, context, left);
  // What is refused to a fresh session is refused to the person; the answer says why.
  if ((await sessions.stateOf(plan, again, signal)) === 'unsure') throw stillExpired(host);
  return again;
}

async function runOnce(
  http: Runner<HttpRequest>,
  sessions: Sessions,
  job: HttpRequest,
  plan: SessionPlan,
  session: Session,
  context: RunContext,
  left: TimeLeft,
): Promise<HttpResponse> {
  const learn = (): void => {
    for (const secret of secretsOf(session)) context.onBearer?.(secret);
  };
  learn();
  const needsToken = !READS.has(job.method) && isForSession(plan, session, new URL(job.url));
  const token = needsToken ? await sessions.csrf(plan, session, context.signal) : null;
  if (token !== null) context.onBearer?.(token.reveal());
  const ready = token === null || plan.csrf === null ? job : withCsrf(job, plan.csrf, token.reveal());
  const response = await http.run({ ...ready, timeoutMs: left(), cookies: session.jar }, context);
  // The answer may have set others.
  learn();
  if (response.kind !== 'http') throw new TypeError('a request was answered by something else');
  return token === null || plan.csrf?.place !== 'query'
    ? response
    : { ...response, url: withoutValue(response.url, plan.csrf.name) };
}

/** A token goes where the session does: to the hosts of its login, and to those that its cookies are for. */
function isForSession({ steps, csrf }: SessionPlan, { jar }: Session, url: URL): boolean {
  const more = csrf !== null && 'step' in csrf.source ? [csrf.source.step] : [];
  return jar.header(url) !== null || [...steps, ...more].some(({ prefix }) => new URL(prefix.origin).host === url.host);
}

/** The address of an answer is shown, and what Forge has put there itself is masked by its place: a short token is not looked for. */
function withoutValue(url: string, name: string): string {
  const at = url.indexOf('?') + 1;
  if (at === 0) return url;
  const parts = url.slice(at).split('&');
  const shown = parts.map((part) => (new URLSearchParams(part).has(name) ? `${name}=${MASK}` : part));
  return url.slice(0, at) + shown.join('&');
}

/** The request with its token; a field of the same name gives way to it. */
export function withCsrf(job: HttpRequest, { place, name }: CsrfPlan, token: string): HttpRequest {
  if (place === 'header') return { ...job, headers: { ...job.headers, [name.toLowerCase()]: token } };
  if (place === 'query') return { ...job, url: appendQuery(job.url, [[name, token]]) };
  if (job.payload !== undefined) {
    const payload = withField(job.headers['content-type'] ?? '', job.payload, { name, text: token });
    if (payload === null) throw noForm(name);
    return { ...job, payload };
  }
  if (MULTIPART.test(job.headers['content-type'] ?? ''))
    return { ...job, body: `${job.body ?? ''}\n${name}: ${token}` };
  if (job.body !== null && !FORM.test(job.headers['content-type'] ?? '')) throw noForm(name);
  const fields = new URLSearchParams(job.body ?? '');
  fields.delete(name);
  // Some services want it last: a request that was cut on the way then has none.
  fields.append(name, token);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...job.headers };
  return { ...job, headers, body: fields.toString() };
}

function noForm(name: string): ForgeError {
  return new ForgeError('invalid_manifest', `csrf adds the form field "${name}", and this request has no form`, {
    hint: 'Write body_form in the request, or csrf with header or query.',
  });
}

function expired(host: string): ForgeError {
  return new ForgeError('login_failed', `The session at ${host} had expired, and the request was not sent again.`, {
    hint: 'Forge has logged in again. Check whether the change was made before you repeat the call.',
  });
}

function stillExpired(host: string): ForgeError {
  return new ForgeError('login_failed', `${host} asks for a login although Forge has just logged in.`);
}
