import { Type, type Static } from '@sinclair/typebox';
import {
  AllowRequest,
  Approval,
  ApprovalsAnswer,
  ApprovalsQuery,
  DecisionRequest,
  StandingAnswer,
} from '../../../shared/approvals-api.ts';
import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { toolHash } from '../../connectors/accepted-definitions.ts';
import type { ToolEntry } from '../../connectors/catalog.ts';
import type { ToolMode } from '../../../shared/manifest/tool-mode.ts';
import { describeAllowing, describeDecision } from '../confirm/describe-approval.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** What waits for a person's yes or no, and what they have allowed for longer. */
export function approvalRoutes({ calls, catalog, toolModes }: Services): Route[] {
  const { approvals } = calls;
  const definitionOf = (toolId: string): string | null => {
    const entry = findTool(catalog, toolId);
    return entry === null ? null : toolHash(entry);
  };
  return [
    route({
      method: 'GET',
      path: '/api/approvals',
      summary: 'Pending approvals, a page at a time; with all=true the decided ones too.',
      access: 'token',
      query: ApprovalsQuery,
      answers: { status: 200, schema: ApprovalsAnswer },
      handle: ({ query }) => ({ body: page(query, approvals) }),
    }),
    route({
      method: 'GET',
      path: '/api/approvals/standing',
      summary: 'Standing approvals with their limits.',
      access: 'token',
      answers: { status: 200, schema: StandingAnswer },
      handle: () => ({ body: { standing: approvals.listStanding(definitionOf) } }),
    }),
    route({
      method: 'POST',
      path: '/api/approvals/standing',
      summary: 'Allow later calls of a tool that asks, for so many calls or so long.',
      access: 'token',
      describe: ({ body }) => describeAllowing(body),
      body: { json: AllowRequest },
      answers: { status: 201, schema: Type.Unknown() },
      handle: ({ body }) => ({ status: 201, body: allow(body, { catalog, toolModes }, approvals) }),
    }),
    route({
      method: 'DELETE',
      path: '/api/approvals/standing/:id',
      summary: 'Take a standing approval back.',
      access: 'token',
      fromPage: 'narrows',
      answers: { status: 204 },
      handle: ({ params }) => {
        approvals.removeStanding(params['id'] ?? '');
        return {};
      },
    }),
    route({
      method: 'GET',
      path: '/api/approvals/:id',
      summary: 'One approval, whatever has become of it.',
      access: 'token',
      answers: { status: 200, schema: Approval },
      handle: ({ params }) => ({ body: requireApproval(params['id'] ?? '', approvals) }),
    }),
    route({
      method: 'POST',
      path: '/api/approvals/:id',
      summary: 'Decide: approve or deny, and perhaps allow the same for longer.',
      access: 'token',
      fromPage: ({ body }) => (body.decision === 'deny' ? 'narrows' : 'confirmed'),
      describe: ({ params, body }) => describeDecision(approvals, params['id'] ?? '', body),
      body: { json: DecisionRequest },
      answers: { status: 200, schema: Type.Unknown() },
      handle: ({ params, body }) => ({ body: approvals.decide(params['id'] ?? '', body) }),
    }),
    ...hostRoutes(approvals),
  ];
}

/** Hosts that a person has allowed because an argument named them. */
function hostRoutes(approvals: Services['calls']['approvals']): Route[] {
  return [
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
      fromPage: 'narrows',
      answers: { status: 204 },
      handle: ({ params }) => {
        approvals.removeHost(params['id'] ?? '', params['host'] ?? '');
        return {};
      },
    }),
  ];
}

/** A page of approvals, and where the next one begins. */
function page(
  { all, session: sessionId, order, limit, after }: Static<typeof ApprovalsQuery>,
  approvals: Services['calls']['approvals'],
): Static<typeof ApprovalsAnswer> {
  const size = Math.min(Number(limit ?? DEFAULT_LIMIT), MAX_LIMIT);
  const found = approvals.list({
    ...{ sessionId, order, after: after === undefined ? undefined : placeOf(after), limit: size + 1 },
    ...(all === 'true' ? {} : { status: 'pending' }),
  });
  const shown = found.slice(0, size);
  const last = found.length > size ? shown.at(-1) : undefined;
  return {
    approvals: shown,
    next: last === undefined ? null : `${last.created_at}_${last.id}`,
    waiting: approvals.countPending(),
  };
}

function requireApproval(id: string, approvals: Services['calls']['approvals']) {
  const found = approvals.find(id);
  if (found === null) throw new ForgeError('not_found', 'There is no such approval.');
  return found;
}

function placeOf(after: string): { created_at: string; id: string } {
  const [, created_at, id] = /^([0-9TZ:.-]{20,30})_(apr_[0-9a-f]{1,64})$/.exec(after) ?? [];
  if (created_at === undefined || id === undefined)
    throw new ForgeError('invalid_request', '`after` must be the `next` of another page.');
  return { created_at, id };
}

/** For a tool that asks. */
function allow(
  { tool_id: toolId, ...limits }: Static<typeof AllowRequest>,
  { catalog, toolModes }: Pick<Services, 'catalog' | 'toolModes'>,
  approvals: Services['calls']['approvals'],
) {
  const entry = catalog.tool(toolId);
  if (entry === null)
    throw new ForgeError('tool_not_found', `There is no tool ${JSON.stringify(toolId.slice(0, 100))}.`);
  requireAsking(toolId, toolModes.of(entry).mode);
  return approvals.allow({ toolId, connectorId: entry.package.id, definitionSha256: toolHash(entry) }, limits);
}

/** A connector that is broken has no tools for the moment. */
function findTool(catalog: Services['catalog'], toolId: string): ToolEntry | null {
  try {
    return catalog.tool(toolId);
  } catch (error) {
    if (isForgeError(error, 'connector_broken')) return null;
    throw error;
  }
}

function requireAsking(toolId: string, mode: ToolMode): void {
  if (mode === 'ask') return;
  if (mode === 'on') throw new ForgeError('invalid_request', `${toolId} never asks, so there is nothing to allow.`);
  throw new ForgeError('tool_off', `${toolId} is set to Never, and a standing approval does not change that.`);
}
