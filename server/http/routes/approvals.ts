import { Type, type Static } from '@sinclair/typebox';
import { AllowRequest, ApprovalsAnswer, DecisionRequest, StandingAnswer } from '../../../shared/approvals-api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const Pending = Type.Object({
  all: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  session: Type.Optional(Type.String({ description: 'Only those of this conversation.' })),
});

/** What waits for a person's yes or no, and what they have allowed for longer. */
export function approvalRoutes({ calls, catalog }: Services): Route[] {
  const { approvals } = calls;
  return [
    route({
      method: 'GET',
      path: '/api/approvals',
      summary: 'Pending approvals; with all=true the decided ones too.',
      access: 'token',
      query: Pending,
      answers: { status: 200, schema: ApprovalsAnswer },
      handle: ({ query: { all, session: sessionId } }) => ({
        body: { approvals: approvals.list({ sessionId, ...(all === 'true' ? {} : { status: 'pending' }) }) },
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
      method: 'POST',
      path: '/api/approvals/standing',
      summary: 'Allow later calls of a tool that asks, for so many calls or so long.',
      access: 'token',
      body: { json: AllowRequest },
      answers: { status: 201, schema: Type.Unknown() },
      handle: ({ body }) => ({ status: 201, body: allow(body, catalog, approvals) }),
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

/** For a tool that asks. */
function allow(
  { tool_id: toolId, ...limits }: Static<typeof AllowRequest>,
  catalog: Services['catalog'],
  approvals: Services['calls']['approvals'],
) {
  const entry = catalog.tool(toolId);
  if (entry === null)
    throw new ForgeError('tool_not_found', `There is no tool ${JSON.stringify(toolId.slice(0, 100))}.`);
  if (!entry.tool.destructive)
    throw new ForgeError('invalid_request', `${toolId} never asks, so there is nothing to allow.`);
  return approvals.allow({ toolId, connectorId: entry.package.id }, limits);
}
