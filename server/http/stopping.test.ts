import { Agent, createServer, request, Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { testForge, type TestForge } from '../testing/forge.ts';

const MANIFEST = `id: demo
name: Demo
version: "1.0.0"
settings: { base_url: { required: true } }
tools: { get: { protocol: http, description: Get., request: { url: '{base_url}/x' } } }
`;

afterEach(() => vi.restoreAllMocks());

/** A service that answers when it is told to. */
async function heldUpstream(): Promise<{ url: string; asked: Promise<ServerResponse> }> {
  let onAsked: (response: ServerResponse) => void = () => undefined;
  const asked = new Promise<ServerResponse>((resolve) => (onAsked = resolve));
  const server = createServer((_request, response) => onAsked(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

interface Answer {
  status: number | undefined;
  connection: string | undefined;
  body: unknown;
}

function call(forge: TestForge, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forge-token': forge.token, 'content-type': 'application/json' };
    const sent = request(`${forge.url}/api/tools/demo.get/call`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode, connection: response.headers.connection, body: JSON.parse(text) }),
      );
    });
    sent.on('error', reject);
    sent.end('{"args":{}}');
  });
}

it('a stop waits for the answer that is under way, and the connection ends with it', async () => {
  const forge = await testForge();
  const { url, asked } = await heldUpstream();
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.request('PUT', '/api/connectors/demo/settings', { values: { base_url: url } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const answer = call(forge, agent);
  const held = await asked;
  const cut = vi.spyOn(Server.prototype, 'closeAllConnections');
  const closed = forge.close();
  held.end('{"late":true}');
  expect(await answer).toMatchObject({ status: 200, connection: 'close', body: { ok: true, result: { late: true } } });
  await closed;
  // Nothing was left to wait for.
  expect(cut).not.toHaveBeenCalled();
});

it('a stop does not wait for connections on which nothing was ever asked, nor for half a request', async () => {
  const forge = await testForge();
  const { port } = new URL(forge.url);
  const silent = await connected(Number(port));
  const half = await connected(Number(port));
  half.write('POST /api/tools/demo.get/call HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  // An answered request proves that the server has seen what came before it.
  expect((await forge.request('GET', '/api/health')).status).toBe(200);
  const ended = Promise.all([silent, half].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  const cut = vi.spyOn(Server.prototype, 'closeAllConnections');
  await forge.close();
  await ended;
  // Connections that are waited for are cut in the end; these were not waited for.
  expect(cut).not.toHaveBeenCalled();
});

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject).resume();
    onTestFinished(() => void socket.destroy());
  });
}
