import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuardedFetch } from '../../models/guarded-fetch.ts';
import { adapterContract, SILENT } from '../../testing/adapter-contract.ts';
import { deferred } from '../../testing/deferred.ts';
import { executionRequest } from '../../testing/execution-request.ts';
import { fakeLlm, type FakeLlm } from '../../testing/fake-llm/fake-llm.ts';
import { turn, type LlmScript } from '../../testing/fake-llm/script.ts';
import { GlooAIProvider } from './provider.ts';

const { fetch } = createGuardedFetch({ ownPorts: () => [], proxy: {} });

/** Gloo's token endpoint; it hands out a new token each time. */
async function tokenServer(status = 200): Promise<{ url: string; seen: { request: IncomingMessage; body: string }[] }> {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      seen.push({ request, body });
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ access_token: `token-${seen.length}`, expires_in: 3600, token_type: 'Bearer' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth2/token`, seen };
}

async function adapterWith(config: Record<string, string>) {
  const secrets: string[] = [];
  const adapter = new GlooAIProvider({ fetch, protect: (secret) => secrets.push(secret), log: SILENT });
  await adapter.initialize(config);
  return { adapter, secrets };
}

async function readyAdapter(
  script?: LlmScript,
  more: Record<string, string> = {},
): Promise<{ adapter: GlooAIProvider; llm: FakeLlm }> {
  const llm = await fakeLlm(script);
  const { adapter } = await adapterWith({ GLOO_API_KEY: 'gloo-key', GLOO_BASE_URL: llm.baseUrl, ...more });
  return { adapter, llm };
}

adapterContract({
  provider: 'gloo-ai',
  profile: {
    capabilities: ['streaming', 'cost_tracking'],
    nativeTools: [],
    maxConcurrent: 10,
    outputStrategies: ['stream'],
    costTier: 'low',
    latencyProfile: 'variable',
  },
  bare: async () => (await adapterWith({})).adapter,
  bareHealth: 'degraded',
  ready: async () => (await readyAdapter()).adapter,
  stuck: async () => {
    const { promise: reached, resolve } = deferred();
    const { adapter } = await readyAdapter(() => {
      resolve();
      return { text: 'x', beforeDelta: () => new Promise<void>(() => undefined) };
    });
    return { adapter, reached };
  },
});

describe('E-34 K-24 gloo-ai', () => {
  it('exchanges its credentials once for any number of tasks, and keeps them from everybody', async () => {
    const llm = await fakeLlm();
    const tokens = await tokenServer();
    const { adapter, secrets } = await adapterWith({
      ...{ GLOO_CLIENT_ID: 'me', GLOO_CLIENT_SECRET: 'hush', GLOO_TOKEN_URL: tokens.url, GLOO_BASE_URL: llm.baseUrl },
    });
    expect(await adapter.checkHealth()).toBe('healthy');
    await Promise.all(['a', 'b', 'c'].map((taskId) => adapter.execute(executionRequest({ taskId }))));
    expect(tokens.seen).toHaveLength(1);
    expect(tokens.seen[0]!.request.headers.authorization).toBe(`Basic ${Buffer.from('me:hush').toString('base64')}`);
    expect(tokens.seen[0]!.body).toBe('grant_type=client_credentials&scope=api%2Faccess');
    expect(llm.requests.map(({ headers }) => headers['authorization'])).toEqual(Array(3).fill('Bearer token-1'));
    expect(secrets).toEqual(['hush', 'token-1']);
  });

  it('E-07 is offline when it gets no token, and says why a task fails', async () => {
    const tokens = await tokenServer(401);
    const { adapter } = await adapterWith({
      GLOO_CLIENT_ID: 'me',
      GLOO_CLIENT_SECRET: 'x',
      GLOO_TOKEN_URL: tokens.url,
    });
    expect(await adapter.checkHealth()).toBe('offline');
    expect(await adapter.execute(executionRequest())).toMatchObject({
      status: 'error',
      errorCode: 'model_auth_failed',
    });
  });

  it.each([
    ['', { auto_routing: true }],
    ['anthropic', { model_family: 'anthropic' }],
    ['gloo-openai-gpt-5-mini', { model: 'gloo-openai-gpt-5-mini' }],
  ])('chooses the model by %j as exactly one of its ways', async (model, routing) => {
    const { adapter, llm } = await readyAdapter(undefined, { GLOO_TRADITION: 'mainline' });
    await adapter.execute(executionRequest({ model }));
    const { auto_routing, model_family, model: named, tradition } = llm.requests[0]!.body;
    expect({ auto_routing, model_family, model: named }).toEqual({
      auto_routing: undefined,
      model_family: undefined,
      model: undefined,
      ...routing,
    });
    expect(tradition).toBe('mainline');
  });

  it('has its tools called through Forge', async () => {
    const { adapter, llm } = await readyAdapter([turn.tools({ name: 'demo__get', id: 'c' }), turn.text('An apple.')]);
    const tools = [{ name: 'demo__get', description: 'Get.', inputSchema: { type: 'object' } }];
    const toolExecutor = () => Promise.resolve({ ok: true, text: 'an apple' });
    const result = await adapter.execute(executionRequest({ tools, toolExecutor }));
    expect(result).toMatchObject({ status: 'ok', output: 'An apple.', modelProvider: 'gloo' });
    expect(llm.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', text: 'an apple' });
  });

  it('asks another address for grounded answers', async () => {
    const { adapter, llm } = await readyAdapter();
    const result = await adapter.execute(executionRequest({ metadata: { rag_publisher: 'Publisher' } }));
    // The stand-in has no such address; that it was asked for is what counts.
    expect(result).toMatchObject({ status: 'error', error: 'no /chat/completions/grounded' });
    expect(llm.requests).toEqual([]);
  });
});
