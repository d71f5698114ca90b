import { Type, type Static } from '@sinclair/typebox';
import {
  ChangedMcpClient,
  McpClientAnswer,
  McpClientsAnswer,
  NewMcpClient,
  NewMcpClientAnswer,
} from '../../../shared/api.ts';
import { FORGE } from '../../../shared/forge-command.ts';
import type { McpRequest } from '../../mcp/reply.ts';
import type { TellError } from '../middleware/answer-errors.ts';
import type { Described } from '../confirm/confirmations.ts';
import { route, type Route, type RouteRequest } from '../route.ts';
import type { Services } from '../services.ts';

const McpQuery = Type.Object({
  connectors: Type.Optional(
    Type.String({ maxLength: 2000, description: 'Whose tools to list one by one: jira,github' }),
  ),
});

/** The endpoint for MCP clients, and the clients that were given a name. */
export function mcpRoutes({ mcp }: Services, tellError: TellError): Route[] {
  return [...endpointRoutes(mcp, tellError), ...clientRoutes(mcp)];
}

function endpointRoutes(mcp: Services['mcp'], tellError: TellError): Route[] {
  const endpoint = mcp.serve((failure) => tellError(failure, { stream: 'mcp' }));
  // A client may show a person the form that approves a call, so a script in the page must not be one.
  const base = { path: '/mcp', access: 'client', fromPage: 'refused', query: McpQuery } as const;
  return [
    route({
      ...base,
      method: 'POST',
      direct: true,
      summary: 'A message of the Model Context Protocol, answered as JSON or as a stream of events.',
      body: { json: Type.Unknown() },
      answers: { status: 200, schema: Type.Unknown() },
      handle: (request) => endpoint.post(mcpRequest(request)),
    }),
    route({
      ...base,
      method: 'GET',
      summary: 'What the server has to say by itself, as a stream of events.',
      answers: { status: 200, schema: Type.String(), contentType: 'text/event-stream' },
      handle: (request) => endpoint.get(mcpRequest(request)),
    }),
    route({
      ...base,
      method: 'DELETE',
      summary: 'End an MCP session.',
      answers: { status: 204 },
      handle: (request) => endpoint.delete(mcpRequest(request)),
    }),
  ];
}

function mcpRequest(request: RouteRequest<Static<typeof McpQuery>, unknown>): McpRequest {
  const { body, header, identity, signal, query } = request;
  return { body, header, identity, signal, connectors: namesIn(query.connectors) };
}

function namesIn(list: string | undefined): string[] {
  if (list === undefined) return [];
  return list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

function clientRoutes({ clients, launch, limit, revoke }: Services['mcp']): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/mcp/clients',
      summary: 'MCP clients that were given a name, with their limits.',
      access: 'token',
      answers: { status: 200, schema: McpClientsAnswer },
      handle: () => ({ body: { clients: clients.list() } }),
    }),
    route({
      method: 'POST',
      path: '/api/mcp/clients',
      summary: 'Name an MCP client. Its token is shown this once, and opens nothing but /mcp.',
      access: 'token',
      describe: ({ body }) => describeClient(`Make a token for the MCP client ${body.name}`, 'Make', body),
      body: { json: NewMcpClient },
      answers: { status: 201, schema: NewMcpClientAnswer },
      handle: ({ body: { name, connectors = null, read_only = false } }) => {
        const added = clients.add(name, { connectors, read_only });
        return { status: 201, body: { ...added, launch: launch(added.client.name), forge_command: FORGE } };
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/mcp/clients/:id',
      summary: 'Give an MCP client other limits; they count for its next call.',
      access: 'token',
      describe: ({ params, body }) => {
        const client = clients.find(params['id'] ?? '');
        return describeClient(`Give the MCP client ${client?.name ?? ''} other limits`, 'Change', {
          ...client,
          ...body,
        });
      },
      body: { json: ChangedMcpClient },
      answers: { status: 200, schema: McpClientAnswer },
      handle: ({ params, body }) => ({ body: limit(params['id'] ?? '', body) }),
    }),
    route({
      method: 'DELETE',
      path: '/api/mcp/clients/:id',
      summary: 'Revoke an MCP client. Its sessions end at once.',
      access: 'token',
      fromPage: 'narrows',
      answers: { status: 204 },
      handle: ({ params }) => {
        revoke(params['id'] ?? '');
        return {};
      },
    }),
  ];
}

function describeClient(
  title: string,
  verb: string,
  { connectors, read_only: readOnly }: { connectors?: string[] | null; read_only?: boolean },
): Described {
  return {
    title,
    verb,
    lines: [
      { label: 'Connectors', text: connectors?.join('\n') ?? 'all' },
      { label: 'Tools', text: readOnly === true ? 'only those that read' : 'those that change things, too' },
    ],
  };
}
