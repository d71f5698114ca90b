// What a server of this kind costs at the least with the official SDK of the 2.x line: one tool, one session, no checks of its own.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { Agent, request } from 'undici';

const { BENCH_PORT = '0', BENCH_UPSTREAM = '' } = process.env;
const dispatcher = new Agent({ connections: 128 });
const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
const input = fromJsonSchema<{ id: string }>({
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
});

function createMcpServer(): McpServer {
  const server = new McpServer({ name: 'minimal', version: '1.0.0' });
  server.registerTool('bench__item', { description: 'Get one item.', inputSchema: input }, async ({ id }) => {
    const response = await request(`${BENCH_UPSTREAM}/items/${encodeURIComponent(id)}`, { dispatcher });
    return { content: [{ type: 'text', text: await response.body.text() }] };
  });
  return server;
}

async function sessionOf(incoming: IncomingMessage): Promise<NodeStreamableHTTPServerTransport> {
  const known = sessions.get(String(incoming.headers['mcp-session-id']));
  if (known !== undefined) return known;
  const transport = new NodeStreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await createMcpServer().connect(transport);
  return transport;
}

createServer((incoming, outgoing) => {
  if (incoming.url === '/health') {
    outgoing.end('{}');
    return;
  }
  void sessionOf(incoming).then((transport) => transport.handleRequest(incoming, outgoing));
}).listen(Number(BENCH_PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
