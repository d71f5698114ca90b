import { Type } from '@sinclair/typebox';
import { ApprovalsAnswer, DecisionRequest, StandingAnswer } from '../../../shared/api.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const Pending = Type.Object({ all: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])) });

/** What waits for a person's yes or no, and what they have allowed for longer. */
export function approvalRoutes({ calls }: Services): Route[] {
  const { approvals } = calls;
  return [
    route({
      method: 'GET',
      path: '/api/approvals',
      summary: 'Pending approvals; with all=true the decided ones too.',
      access: 'token',
      query: Pending,
      answers: { status: 200, schema: ApprovalsAnswer },
      handle: ({ query }) => ({
        body: { approvals: approvals.list(query.all === 'true' ? {} : { status: 'pending' }) },
      }),
    }),
    route({
      method: 'GET',
      path: '/api/approvals/standing',
      summary: 'Standing approvals with their limits.',
      access: 'token',
      answers: { status: 200, schema: StandingAnswer },
      handle: () => ({ body: { standing: approvals.listStanding() } }),
    }),
    route({
      method: 'DELETE',
      path: '/api/approvals/standing/:id',
      summary: 'Take a standing approval back.',
      access: 'token',
      answers: { status: 204 },
      handle: ({ params }) => {
        approvals.removeStanding(params['id'] ?? '');
        return {};
      },
    }),
    route({
      method: 'POST',
      path: '/api/approvals/:id',
      summary: 'Decide: approve or deny, and perhaps allow the same for longer.',
      access: 'token',
      body: { json: DecisionRequest },
      answers: { status: 200, schema: Type.Unknown() },
      handle: ({ params, body }) => ({ body: approvals.decide(params['id'] ?? '', body) }),
    }),
    route({
      method: 'GET',
      path: '/api/connectors/:id/hosts',
      summary: 'Hosts that were allowed because an argument named them.',
      access: 'token',
      answers: { status: 200, schema: Type.Object({ hosts: Type.Array(Type.Unknown()) }) },
      handle: ({ params }) => ({ body: { hosts: approvals.listHosts(params['id'] ?? '') } }),
    }),
    route({
      method: 'DELETE',
      path: '/api/connectors/:id/hosts/:host',
      summary: 'Forget an allowed host; it is asked for again.',
      access: 'token',
      answers: { status: 204 },
      handle: ({ params }) => {
        approvals.removeHost(params['id'] ?? '', params['host'] ?? '');
        return {};
      },
    }),
  ];
}
