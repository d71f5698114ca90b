import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testForge } from '../../../testing/forge.ts';
import type { ExecutionEvent } from '../../adapter.ts';
import { isAgentManager, isRuntimeDiscovery, isRuntimeManager } from '../../managers.ts';
import { createGuardedFetch } from '../../models/guarded-fetch.ts';
import { adapterContract, SILENT } from '../../testing/adapter-contract.ts';
import { deferred } from '../../testing/deferred.ts';
import { executionRequest } from '../../testing/execution-request.ts';
import { HermesAgentProvider } from './provider.ts';

const { fetch } = createGuardedFetch({ ownPorts: () => [], proxy: {} });

type Told = Record<string, unknown>;

const HELLO: Told[] = [
  { event: 'message.delta', delta: 'Hel' },
  { event: 'message.delta', delta: 'lo.' },
  { event: 'run.completed', output: 'Hello.', usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 } },
];

/** Hermes' API server: one run, which tells these events; without an end it goes on until it is stopped. */
async function hermes(events: Told[] = HELLO, { hasOptions = true } = {}) {
  const key = 'hermes-key';
  const seen: { line: string; body: unknown }[] = [];
  const reached = deferred();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const line = `${request.method} ${request.url}`;
    if (line === 'GET /health') {
      send(200, { status: 'ok' });
      return;
    }
    if (request.headers.authorization !== `Bearer ${key}`) {
      send(401, { error: 'no key' });
      return;
    }
    seen.push({ line, body: request.method === 'POST' ? await readJson(request) : null });
    if (line === 'GET /v1/models') {
      send(200, { data: [{ id: 'hermes-agent' }] });
      return;
    }
    if (line === 'GET /v1/skills') {
      send(200, [{ name: 'github-pr-workflow', description: 'Pull requests.' }]);
      return;
    }
    if (line === 'GET /api/model/options' && hasOptions) {
      send(200, { model: 'hermes-4', provider: 'nous', providers: [{ slug: 'nous', models: ['hermes-4', 7] }, null] });
      return;
    }
    if (line === 'POST /v1/runs') {
      send(202, { run_id: 'run_1', status: 'started' });
      return;
    }
    if (line.endsWith('/stop') || line.endsWith('/approval')) {
      send(200, { status: 'ok' });
      return;
    }
    if (line !== 'GET /v1/runs/run_1/events') {
      send(404, {});
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': open\n\n');
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    reached.resolve();
    if (events.some(({ event }) => String(event).startsWith('run.'))) response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, reached: reached.promise };
}

async function adapterAt(url: string, key = 'hermes-key'): Promise<HermesAgentProvider> {
  const adapter = new HermesAgentProvider({ fetch, protect: () => undefined, log: SILENT });
  await adapter.initialize({ HERMES_BASE_URL: url, HERMES_API_KEY: key });
  return adapter;
}

adapterContract({
  provider: 'hermes-agent',
  profile: {
    capabilities: ['streaming', 'file_io', 'mcp_servers', 'native_tools'],
    nativeTools: ['terminal', 'browser', 'vision', 'memory'],
    maxConcurrent: 10,
    outputStrategies: ['stream'],
    costTier: 'medium',
    latencyProfile: 'variable',
  },
  bare: async () => adapterAt((await hermes()).url, ''),
  bareHealth: 'degraded',
  ready: async () => adapterAt((await hermes()).url),
  stuck: async () => {
    const { url, reached } = await hermes([{ event: 'message.delta', delta: 'Hm' }]);
    return { adapter: await adapterAt(url), reached };
  },
});

describe('E-34 K-24 hermes-agent', () => {
  it('E-07 is offline when nobody answers', async () => {
    const adapter = await adapterAt('http://127.0.0.1:9');
    expect(await adapter.checkHealth()).toBe('offline');
    expect(await adapter.execute(executionRequest())).toMatchObject({ errorCode: 'runtime_offline' });
  });

  it('starts a run with all there is to say, and shows its own tools', async () => {
    const { url, seen } = await hermes([
      { event: 'reasoning.delta', delta: 'Hm.' },
      { event: 'tool.started', tool: 'terminal', preview: 'ls' },
      { event: 'tool.completed', tool: 'terminal', duration: 0.5, error: false },
      ...HELLO,
    ]);
    const adapter = await adapterAt(url);
    const events: ExecutionEvent[] = [];
    adapter.onEvent((event) => events.push(event));
    const result = await adapter.execute(
      executionRequest({
        ...{ message: 'Hi', systemPrompt: 'Be brief.', sessionId: 'sess_1', model: 'm' },
        history: [{ role: 'user', text: 'Before.' }],
      }),
    );
    expect(result).toMatchObject({ output: 'Hello.', usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } });
    expect(seen[0]!.body).toEqual({
      ...{ input: 'Hi', instructions: 'Be brief.', session_id: 'sess_1', model: 'm' },
      conversation_history: [{ role: 'user', content: 'Before.' }],
    });
    expect(events.map(({ type }) => type)).toEqual([
      'execution.started',
      'execution.thinking',
      'execution.tool_call',
      'execution.tool_result',
      'execution.text',
      'execution.text',
      'execution.completed',
    ]);
    expect(events[3]!.data).toMatchObject({ name: 'terminal', ok: true, durationMs: 500, native: true });
  });

  it('stops the run when the task is cancelled', async () => {
    const { url, seen, reached } = await hermes([{ event: 'message.delta', delta: 'Hm' }]);
    const adapter = await adapterAt(url);
    const running = adapter.execute(executionRequest());
    await reached;
    await adapter.cancel('task-1');
    expect(await running).toMatchObject({ errorCode: 'cancelled' });
    await expect.poll(() => seen.map(({ line }) => line)).toContain('POST /v1/runs/run_1/stop');
  });

  it('never approves anything', async () => {
    const { url, seen } = await hermes([{ event: 'approval.request', request_id: 'req-7' }, ...HELLO]);
    expect(await (await adapterAt(url)).execute(executionRequest())).toMatchObject({ status: 'ok' });
    expect(seen.find(({ line }) => line.endsWith('/approval'))!.body).toEqual({ request_id: 'req-7', choice: 'deny' });
  });

  it.each([
    ['its reason', [{ event: 'run.failed', error: 'no model' }], 'no model'],
    ['that it broke off', [{ event: 'run.unknown' }], 'Hermes’ answer broke off'],
  ])('says %s when a run fails', async (_what, events, error) => {
    const { url } = await hermes(events);
    expect(await (await adapterAt(url)).execute(executionRequest())).toMatchObject({ status: 'error', error });
  });

  it('K-25 E-37 lets one look at what it has, and claims no more than that', async () => {
    const adapter = await adapterAt((await hermes()).url);
    expect([isRuntimeDiscovery(adapter), isRuntimeManager(adapter), isAgentManager(adapter)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await adapter.discoverAgents()).toEqual([{ id: 'hermes-agent', name: 'hermes-agent' }]);
    expect(await adapter.discoverSkills()).toMatchObject([{ key: 'github-pr-workflow' }]);
    expect(await adapter.discoverModels()).toEqual([{ id: 'hermes-4', name: 'hermes-4', provider: 'nous' }]);
  });

  it('E-37 shows its profiles as models where Hermes is too old to list models', async () => {
    const adapter = await adapterAt((await hermes(HELLO, { hasOptions: false })).url);
    expect(await adapter.discoverModels()).toMatchObject([{ id: 'hermes-agent' }]);
  });

  it('E-36 has routes for what it shows, and none for what it cannot change', async () => {
    const { url } = await hermes();
    const env = { BRIDGE_ADAPTERS: 'hermes-agent', HERMES_BASE_URL: url, HERMES_API_KEY: 'hermes-key' };
    const forge = await testForge(env);
    const at = (method: string, place: string, body?: unknown) =>
      forge.request(method, `/api/gateway/hermes-agent/${place}`, body);
    expect((await at('GET', 'skills')).body).toMatchObject({ skills: [{ key: 'github-pr-workflow' }] });
    for (const [method, place, body] of [
      ['PUT', 'agents/a', {}],
      ['DELETE', 'agents/a', undefined],
      ['PUT', 'agents/a/files/SOUL.md', { content: '' }],
      ['PUT', 'skills/a', { content: 'x' }],
      ['DELETE', 'skills/a', undefined],
    ] as const)
      expect(await at(method, place, body), `${method} ${place}`).toMatchObject({
        ...{ status: 404, body: { error: { code: 'not_found', message: 'hermes-agent does not manage this' } } },
      });
  });
});
