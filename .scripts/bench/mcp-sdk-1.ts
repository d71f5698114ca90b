// The same with the official SDK of the 1.x line.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Agent, request } from 'undici';

const { BENCH_PORT = '0', BENCH_UPSTREAM = '' } = process.env;
const dispatcher = new Agent({ connections: 128 });
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function sessionOf(incoming: IncomingMessage): Promise<StreamableHTTPServerTransport> {
  const known = sessions.get(String(incoming.headers['mcp-session-id']));
  if (known !== undefined) return known;
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const { server } = new McpServer({ name: 'minimal', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const response = await request(`${BENCH_UPSTREAM}/items/${encodeURIComponent(String(params.arguments?.['id']))}`, {
      dispatcher,
    });
    return { content: [{ type: 'text', text: await response.body.text() }] };
  });
  await server.connect(transport);
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
