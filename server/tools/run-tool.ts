import { ForgeError } from '../../shared/errors.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { TokenExchange } from '../auth/token-exchange.ts';
import type { BrowserJob, Command, HttpRequest, Job, RunContext, Runner, SshJob } from '../runners/job.ts';
import type { HttpResponse, Response } from '../runners/response.ts';
import type { ConnectorSecrets, Masks } from '../secrets/connector-secrets.ts';
import type { Expanded } from './expand-tool.ts';
import { runWithSession } from './run-with-session.ts';

/** One runner per protocol. */
export interface Runners {
  http: Runner<HttpRequest>;
  shell: Runner<Command>;
  browser: Runner<BrowserJob>;
  ssh: Runner<SshJob>;
}

/** What a job of a tool must not do without: its secrets are masked, and those that come are learned. */
export type ToolContext = RunContext & Required<Pick<RunContext, 'masker' | 'onBearer'>>;

/** What running needs of a call; who is asked about it is decided by then. */
type Runnable = Omit<Expanded, 'risks'>;

/** Stage 7. */
export type RunTool = (expanded: Runnable, context: ToolContext) => Promise<Response>;

/** The same for the test of a connector, which has no caller. */
export type RunTest = (expanded: Runnable, context: RunContext) => Promise<Response>;

/** The part of a context that a connector's secrets are for. */
export function contextOf(
  secrets: ConnectorSecrets,
  { received }: Masks = secrets.masks,
): Pick<ToolContext, 'masker' | 'onBearer'> {
  return { masker: received, onBearer: (bearer) => secrets.addPassing(bearer) };
}

/** What is left of a call's time. */
export type TimeLeft = () => number;

/** Hands a job to the runner of its protocol, with whatever an http job needs to prove who it is. */
export function createRunTool(
  runners: Runners,
  exchange: TokenExchange,
  sessions: Sessions,
  now: () => number = () => performance.now(),
): RunTool {
  return ({ job, auth }, context) => {
    if (job.protocol === 'http' && auth !== null && auth.kind !== 'static') {
      const endsAt = now() + job.timeoutMs;
      const left: TimeLeft = () => timeLeft(job, endsAt - now());
      return auth.kind === 'exchange'
        ? runWithExchange(runners.http, exchange, job, auth.exchange, context, left)
        : runWithSession(runners.http, sessions, job, auth.session, context, left);
    }
    // The table ties each job to the runner of its protocol; TypeScript cannot follow that through a lookup.
    const runner = runners[job.protocol] as Runner<Job>;
    return runner.run(job, context);
  };
}

/**
 * A 401 means that the service no longer takes the bearer and has done nothing: one fresh bearer and one more try are safe.
 * All of it is one call, so each step has what the ones before it have left of its time.
 */
async function runWithExchange(
  http: Runner<HttpRequest>,
  exchange: TokenExchange,
  job: HttpRequest,
  plan: Parameters<TokenExchange['get']>[0],
  context: RunContext,
  left: TimeLeft,
): Promise<Response> {
  const { signal, onStage, onBearer } = context;
  const first = await exchange.get(plan, { signal, timeoutMs: job.timeoutMs });
  onBearer?.(first.bearer);
  onStage?.('auth');
  const response = await http.run(authorized(job, first.header, left()), context);
  if (!isUnauthorized(response)) return response;
  const fresh = await exchange.get(plan, { signal, timeoutMs: left(), force: first.bearer });
  onBearer?.(fresh.bearer);
  return http.run(authorized(job, fresh.header, left()), context);
}

function timeLeft({ url, timeoutMs }: HttpRequest, ms: number): number {
  if (ms > 0) return Math.ceil(ms);
  throw new ForgeError('upstream_timeout', `${new URL(url).host} and its login took all of ${timeoutMs} ms`);
}

function authorized(job: HttpRequest, header: string, timeoutMs: number): HttpRequest {
  return { ...job, timeoutMs, headers: { ...job.headers, authorization: header } };
}

function isUnauthorized(response: Response): response is HttpResponse {
  return response.kind === 'http' && response.status === 401;
}
