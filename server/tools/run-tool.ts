import type { TokenExchange } from '../auth/token-exchange.ts';
import type { BrowserJob, Command, HttpRequest, Job, RunContext, Runner, SshJob } from '../runners/job.ts';
import type { HttpResponse, Response } from '../runners/response.ts';
import type { Expanded } from './expand-tool.ts';

/** One runner per protocol. */
export interface Runners {
  http: Runner<HttpRequest>;
  shell: Runner<Command>;
  browser: Runner<BrowserJob>;
  ssh: Runner<SshJob>;
}

/** Stage 7. */
export type RunTool = (expanded: Expanded, context: Partial<RunContext>) => Promise<Response>;

const NEVER = new AbortController().signal;

/** Hands a job to the runner of its protocol, with whatever an http job needs to prove who it is. */
export function createRunTool(runners: Runners, exchange: TokenExchange): RunTool {
  return (expanded, { signal = NEVER, onOutput, callId, browser, ask, onStage }) => {
    const context: RunContext = {
      signal,
      callId,
      browser,
      ask,
      onStage,
      ...(onOutput === undefined ? {} : { onOutput }),
    };
    const { job, auth } = expanded;
    if (job.protocol === 'http' && auth?.kind === 'exchange')
      return runWithExchange(runners.http, exchange, job, auth.exchange, context);
    // The table ties each job to the runner of its protocol; TypeScript cannot follow that through a lookup.
    const runner = runners[job.protocol] as Runner<Job>;
    return runner.run(job, context);
  };
}

/** A 401 means that the service no longer takes the bearer and has done nothing: one fresh bearer and one more try are safe. */
async function runWithExchange(
  http: Runner<HttpRequest>,
  exchange: TokenExchange,
  job: HttpRequest,
  plan: Parameters<TokenExchange['get']>[0],
  context: RunContext,
): Promise<Response> {
  const first = await exchange.get(plan, { signal: context.signal });
  context.onStage?.('auth');
  const response = await http.run(authorized(job, first.header), context);
  if (!isUnauthorized(response)) return response;
  const fresh = await exchange.get(plan, { signal: context.signal, force: first.bearer });
  return http.run(authorized(job, fresh.header), context);
}

function authorized(job: HttpRequest, header: string): HttpRequest {
  return { ...job, headers: { ...job.headers, authorization: header } };
}

function isUnauthorized(response: Response): response is HttpResponse {
  return response.kind === 'http' && response.status === 401;
}
