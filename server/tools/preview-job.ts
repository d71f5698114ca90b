import { Secret } from '../../shared/secret.ts';
import type { LoginRequest, SessionPlan } from '../auth/plan.ts';
import { namesOf } from '../auth/schemes/session.ts';
import type { HttpRequest, Job } from '../runners/job.ts';
import type { Expanded } from './expand-tool.ts';
import { withCsrf } from './run-with-session.ts';

/** What a dry run shows: the job, and the request that gets its bearer where it needs one. */
export type Preview =
  | (Job & { risks?: readonly string[] })
  | (HttpRequest & { exchange: LoginRequest })
  | (HttpRequest & { login: LoginRequest[] });

const MASK = String(new Secret(''));
const ENCODED_MASK = encodeURIComponent(MASK);
const FORM = /^application\/x-www-form-urlencoded\b/i;

/** The exact request or command of a call whose secrets were masked. */
export function previewJob({ job, auth, risks }: Pick<Expanded, 'job' | 'auth' | 'risks'>): Preview {
  if (job.protocol !== 'http') return risks.length === 0 ? job : { ...job, risks };
  const shown = { ...job, ...readable(job) };
  if (auth === null || auth.kind === 'static') return shown;
  if (auth.kind === 'session') return { ...shown, ...withSession(job, auth.session), login: loginOf(auth.session) };
  const { method, url, headers, body, format } = auth.exchange;
  return {
    ...shown,
    // The bearer is known once the exchange was made; no header of the manifest's stands against it.
    headers: { ...job.headers, authorization: format === 'bare' ? MASK : `Bearer ${MASK}` },
    exchange: { method, headers, ...readable({ url, headers, body }) },
  };
}

/** The session is known once the login was made. */
function withSession(job: HttpRequest, { csrf }: SessionPlan): Pick<HttpRequest, 'headers' | 'url' | 'body'> {
  const { headers, ...sent } = csrf === null ? job : withCsrf(job, csrf, MASK);
  return { headers: { ...headers, cookie: MASK }, ...readable({ ...sent, headers }) };
}

function loginOf({ steps, csrf }: SessionPlan): LoginRequest[] {
  const more = csrf !== null && 'step' in csrf.source ? [csrf.source.step] : [];
  return [...steps, ...more].map((step) => {
    const request = step.request(namesOf(steps));
    return { ...request, ...readable(request) };
  });
}

type Sent = Pick<HttpRequest, 'url' | 'body'> & { readonly headers: Readonly<Record<string, string>> };

/** A mask reads the same everywhere, also where a secret would be encoded. */
function readable({ url, headers, body }: Sent): Pick<HttpRequest, 'url' | 'body'> {
  const isForm = FORM.test(headers['content-type'] ?? '');
  return { url: plainMasks(url), body: body !== null && isForm ? plainMasks(body) : body };
}

function plainMasks(text: string): string {
  return text.replaceAll(ENCODED_MASK, MASK);
}
