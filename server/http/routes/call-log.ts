import { Type, type Static } from '@sinclair/typebox';
import { Readable } from 'node:stream';
import { ResultQuery } from '../../../shared/api.ts';
import { CallDetail, CallsAnswer, CallsQuery, VerifyAnswer, VerifyQuery } from '../../../shared/calls-api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { ownValue } from '../../../shared/json.ts';
import type { Approvals } from '../../approvals/approvals.ts';
import type { Call } from '../../calls/call.ts';
import type { CallFilter } from '../../calls/find-calls.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const DEFAULT_LIMIT = 50;

/** Times come as text; one that cannot be read is the caller's mistake. */
function filterOf({ since, until, tool, connector, outcome, caller, search }: Static<typeof CallsQuery>): CallFilter {
  return { tool, connector, outcome, caller, search, since: timeOf(since), until: timeOf(until) };
}

function timeOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new ForgeError('invalid_request', `${JSON.stringify(text.slice(0, 60))} is not a time`);
}

/** The log says that a person was asked; what they answered afterwards is known to the approvals. */
function withDecisions(
  found: readonly Call[],
  approvals: Pick<Approvals, 'statuses'>,
): (Call & { approval?: string })[] {
  const asked = found.map(questionOf);
  const statuses = approvals.statuses(asked.filter((id) => id !== null));
  return found.map((call, index) => {
    const approval = statuses.get(asked[index] ?? '');
    return approval === undefined ? call : { ...call, approval };
  });
}

function questionOf({ code, trace }: Call): string | null {
  const id = code === 'approval_required' ? ownValue(trace, 'approval_id') : undefined;
  return typeof id === 'string' ? id : null;
}

/** What was called, and what came back. */
export function callLogRoutes({ calls }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/calls',
      summary: 'The call log, newest first.',
      access: 'token',
      query: CallsQuery,
      answers: { status: 200, schema: CallsAnswer },
      handle: async ({ query, signal }) => {
        const { limit, before } = query;
        const page = {
          limit: Math.min(Number(limit ?? DEFAULT_LIMIT), 1000),
          ...(before === undefined ? {} : { before: Number(before) }),
        };
        const found = await calls.log.list({ ...filterOf(query), ...page }, signal());
        return { body: { calls: withDecisions(found, calls.approvals) } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/calls/export',
      summary: 'The call log as JSON Lines, oldest first.',
      access: 'token',
      query: CallsQuery,
      answers: { status: 200, schema: Type.String(), contentType: 'application/x-ndjson' },
      handle: ({ query }) => {
        return {
          body: Readable.from(calls.log.exportLines(filterOf(query))),
          headers: { 'Content-Type': 'application/x-ndjson' },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/calls/verify',
      summary: 'Whether anybody has changed the call log behind Forge’s back.',
      access: 'token',
      query: VerifyQuery,
      answers: { status: 200, schema: VerifyAnswer },
      handle: async ({ query, signal }) => ({
        body: await calls.log.verify({ signal: signal(), since: query.since }),
      }),
    }),
    route({
      method: 'GET',
      path: '/api/calls/:id',
      summary: 'One call with its stages and its trace.',
      access: 'token',
      answers: { status: 200, schema: CallDetail },
      handle: ({ params }) => {
        const found = calls.log.get(params['id'] ?? '');
        if (found === null)
          throw new ForgeError('not_found', 'there is no such call in the log', {
            hint: 'The log is kept for a limited time.',
          });
        return { body: withDecisions([found], calls.approvals)[0] };
      },
    }),
    route({
      method: 'GET',
      path: '/api/results/:id',
      summary: 'Page through, project or search a result that was too large to hand over.',
      access: 'token',
      query: ResultQuery,
      answers: { status: 200, schema: Type.Unknown() },
      handle: async ({ params, query }) => {
        const { path, search } = query;
        const window = {
          ...(path === undefined ? {} : { path }),
          ...(search === undefined ? {} : { search }),
          ...(query.offset === undefined ? {} : { offset: Number(query.offset) }),
          ...(query.limit === undefined ? {} : { limit: Number(query.limit) }),
        };
        return { body: await calls.results.read(params['id'] ?? '', window) };
      },
    }),
  ];
}
