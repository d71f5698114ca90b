import { spawn } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeLlm, type FakeLlm } from '../server/execution/testing/fake-llm/fake-llm.ts';
import type { LlmRequest, LlmTurn } from '../server/execution/testing/fake-llm/script.ts';
import { json, upstream } from '../server/testing/upstream.ts';
import { approveNext } from './testing/approve-next.ts';
import { CLIENT_SETUPS, clientHome, type ClientSetup } from './testing/client-setups.ts';
import { runForge, startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { clientProgram } from './testing/real-clients.mjs';

/** The clients that `npm run test:real` could install; it reports the others. */
const CLIENTS = (process.env['FORGE_CLIENTS'] ?? '').split(',');

const SHOP = `
id: shop
name: Shop
version: '1.0.0'
description: A shop for the test.
settings: { base_url: { type: string, label: Address } }
tools:
  price:
    protocol: http
    description: The price of an article.
    parameters: { article: { required: true, description: Its name. } }
    request: { url: '{base_url}/price', query: { article: '{args.article}' } }
  order:
    protocol: http
    description: Order an article.
    destructive: true
    parameters: { article: { required: true, description: Its name. } }
    request: { method: POST, url: '{base_url}/order', query: { article: '{args.article}' } }
`;
const ANSWER = 'canary-of-the-service';

interface World {
  llm: FakeLlm;
  forge: ForgeProcess;
  /** What the service was asked. */
  asked: () => string[];
  /** What tools returned to the model, as of its last request. */
  toolTexts: () => string[];
  /** Resolves when the client has ended. */
  run: () => Promise<void>;
}

/** A model that asks for one tool of Forge's, once. */
function modelAskingFor(tool: string): (request: LlmRequest) => LlmTurn {
  return ({ tools, messages }) => {
    const calls = messages.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name));
    const wanted = tools.find(({ name }) => name.endsWith(`shop__${tool}`));
    if (wanted === undefined) {
      // Claude Code names tools first and shows them when they are asked for.
      const search = tools.some(({ name }) => name === 'ToolSearch') && !calls.includes('ToolSearch');
      const query = { query: `select:mcp__forge__shop__${tool}`, max_results: 1 };
      return search ? { toolCalls: [{ name: 'ToolSearch', args: query }] } : { text: 'Done.' };
    }
    if (calls.includes(wanted.name)) return { text: 'Done.' };
    const { name, namespace } = wanted;
    return { toolCalls: [{ name, ...(namespace && { namespace }), args: { article: 'teapot' } }] };
  };
}

/** Forge with a connector, a service behind it, and a client that `forge mcp install` has set up in a home of its own. */
async function startWorld(client: string, tool: string): Promise<World> {
  const setup = CLIENT_SETUPS[client]!;
  const llm = await fakeLlm(modelAskingFor(tool));
  const service = await upstream(json({ answer: ANSWER }));
  const home = clientHome(setup, llm.url);
  const dataDir = path.join(tempFolder(), 'data');
  const forge = await startForgeProcess(dataDir);
  await forge.call('POST', '/api/connectors/install-local', { yaml: SHOP });
  await forge.call('PUT', '/api/connectors/shop/settings', { values: { base_url: service.url } });
  const around = { HOME: home, FORGE_PORT: new URL(forge.url).port };
  const installed = await runForge(dataDir, ['mcp', 'install', client], around);
  expect([installed.code, installed.stderr]).toEqual([0, '']);
  return {
    ...{ llm, forge, asked: () => service.seen.map(({ line }) => line) },
    run: () => runClient(client, setup, home, llm.url),
    toolTexts: () => {
      const messages = llm.requests.at(-1)?.messages ?? [];
      return messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
    },
  };
}

/** Asks one question, with nothing of this computer's environment but the way to programs. */
async function runClient(client: string, setup: ClientSetup, home: string, modelUrl: string): Promise<void> {
  const child = spawn(clientProgram(client), setup.args('What does the teapot cost?'), {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1', ...setup.env(modelUrl) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  onTestFinished(() => {
    try {
      // With everything it has started, `forge mcp` among it.
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself, as it should.
    }
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, output).toBe(0);
  expect(output).toContain('Done.');
}

const callsOf = async ({ forge }: World): Promise<unknown> => (await forge.call('GET', '/api/calls')).json();

describe('K-49 a client that forge mcp install has set up', () => {
  it.each(CLIENTS)('%s calls a tool for its model and hands the result to it', async (client) => {
    const world = await startWorld(client, 'price');
    await world.run();
    expect(world.asked()).toEqual(['GET /price?article=teapot']);
    expect(world.toolTexts().at(-1)).toContain(ANSWER);
    expect(await callsOf(world)).toMatchObject({
      calls: [{ caller: client, tool_id: 'shop.price', outcome: 'ok', trace: { caller_kind: 'mcp' } }],
    });
  });

  // They are held until then; Claude Code dismisses the form at once and is held as the others are.
  it.each(CLIENTS.filter((client) => client !== 'codex'))(
    '%s calls a tool that changes something once a person has approved it in Forge',
    async (client) => {
      const world = await startWorld(client, 'order');
      await Promise.all([world.run(), approveNext(world.forge)]);
      expect(world.asked()).toEqual(['POST /order?article=teapot']);
      expect(world.toolTexts().at(-1)).toContain(ANSWER);
      expect(world.toolTexts().join('\n')).not.toContain('approval_required');
    },
  );

  it.each(CLIENTS.filter((client) => client === 'codex'))(
    '%s, without a terminal, declines every question itself, and nothing is changed',
    async (client) => {
      const world = await startWorld(client, 'order');
      await world.run();
      expect(world.asked()).toEqual([]);
      expect(world.toolTexts().at(-1)).toMatch(/approval_denied: The client declined approval apr_/);
    },
  );

  it.each(CLIENTS.filter((client) => client === 'codex'))(
    '%s, without a terminal, changes what a person has approved beforehand',
    async (client) => {
      const world = await startWorld(client, 'order');
      await world.forge.call('POST', '/api/approvals/standing', { tool_id: 'shop.order', max_uses: 1 });
      await world.run();
      expect(world.asked()).toEqual(['POST /order?article=teapot']);
      expect(world.toolTexts().at(-1)).toContain(ANSWER);
    },
  );
});
