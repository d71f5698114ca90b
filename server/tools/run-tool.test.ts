import { describe, expect, it } from 'vitest';
import { NEVER } from '../../shared/stop-signal.ts';
import type { TokenExchange } from '../auth/token-exchange.ts';
import type { ExchangeRequest } from '../auth/plan.ts';
import { NO_SECRETS, type HttpRequest, type Runner } from '../runners/job.ts';
import type { HttpResponse } from '../runners/response.ts';
import { createRunTool, type Runners } from './run-tool.ts';

const PLAN: ExchangeRequest = {
  ...{ url: 'http://x.test/login', method: 'POST', headers: {}, body: null, identity: 'a' },
  ...{ bearerPath: 'b', expiresPath: 'e', expiresUnit: null, ttlSec: 300, format: 'bearer' },
};

const JOB: HttpRequest = {
  ...{ protocol: 'http', method: 'GET', url: 'http://x.test/', headers: {}, body: null, timeoutMs: 10_000 },
  ...{ verifyTls: true, hostFrom: 'person', followRedirects: true, captureHeaders: [] },
};

const answer = (status: number): HttpResponse => ({
  ...{ kind: 'http', method: 'GET', url: JOB.url, status, statusText: '' },
  ...{ headers: {}, body: Buffer.from(''), redirectedTo: null },
});

/** Runs one call whose steps take as long as they are told, and says how much time each was given. */
async function given(exchangeMs: number, requestMs: number, statuses: number[]) {
  let now = 0;
  const steps: string[] = [];
  const exchange: TokenExchange = {
    get: (_plan, { timeoutMs, force }) => {
      steps.push(`exchange ${String(timeoutMs)}`);
      now += exchangeMs;
      const bearer = force === undefined ? 'first' : 'fresh';
      return Promise.resolve({ bearer, header: `Bearer ${bearer}` });
    },
  };
  const http: Runner<HttpRequest> = {
    run: ({ timeoutMs, headers }) => {
      steps.push(`${String(headers['authorization'])} ${timeoutMs}`);
      now += requestMs;
      return Promise.resolve(answer(statuses.shift() ?? 500));
    },
  };
  // No other runner is asked.
  const run = createRunTool({ http } as unknown as Runners, exchange, null as never, () => now);
  const auth = {
    kind: 'exchange',
    exchange: PLAN,
    prefix: { origin: 'http://x.test', tokens: [], hostToken: null },
  } as const;
  const ended = await run(
    { job: JOB, auth, hosts: [] },
    { signal: NEVER, masker: NO_SECRETS, onBearer: (bearer) => steps.push(`learned ${bearer}`) },
  ).then(
    (response) => (response.kind === 'http' ? response.status : 0),
    (error: unknown) => String(error),
  );
  return { steps, ended };
}

describe('K-06 a call with an exchange', () => {
  it('has one deadline: each step has what is left', async () => {
    expect(await given(1000, 3000, [401, 200])).toEqual({
      steps: [
        'exchange 10000',
        'learned first',
        'Bearer first 9000',
        'exchange 6000',
        'learned fresh',
        'Bearer fresh 5000',
      ],
      ended: 200,
    });
    expect(await given(0, 3000, [200])).toEqual({
      steps: ['exchange 10000', 'learned first', 'Bearer first 10000'],
      ended: 200,
    });
  });

  it('sends nothing more when its time is up', async () => {
    const late = await given(10_000, 0, [200]);
    expect(late.steps).toEqual(['exchange 10000', 'learned first']);
    expect(late.ended).toContain('x.test and its login took all of 10000 ms');
    expect((await given(1, 9999, [401])).steps).toEqual(['exchange 10000', 'learned first', 'Bearer first 9999']);
  });
});
