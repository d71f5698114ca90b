import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textOf } from '../server/mcp/testing/client.ts';
import { json, upstream } from '../server/testing/upstream.ts';
import { runForge, startForgeProcess, tempFolder } from './testing/forge-process.ts';

const FORGE = path.resolve(import.meta.dirname, '../server/launch/forge.mjs');
const MANIFEST = `id: lines
name: Lines
version: "1.0.0"
description: Commands and requests for a client at the other end of a pipe.
settings: { base_url: { required: true } }
tools:
  talk:
    protocol: shell
    description: Says three words, each after the one before it was heard.
    parameters: { heard: { required: true } }
    command: [sh, -c, 'for n in one two three; do echo $n; sleep 0.15; until [ -e "$0/$n" ]; do sleep 0.02; done; done', '{args.heard}']
  get: { protocol: http, description: Get., request: { url: '{base_url}/x' } }
  wipe: { protocol: http, description: Wipe., destructive: true, request: { method: DELETE, url: '{base_url}/x' } }
`;

interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
}

const launch = (dataDir: string, ...args: string[]): Launch => ({
  command: process.execPath,
  args: [FORGE, 'mcp', ...args],
  env: { FORGE_DATA_DIR: dataDir },
});

/** The official client, with `forge mcp` as its server; whatever is printed beside messages fails the test. */
async function connect({ command, args, env }: Launch, era: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  const problems: Error[] = [];
  const client = new Client(
    { name: 'pipe-client', version: '1.0.0' },
    { versionNegotiation: { mode: era }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: { approve: true } }));
  client.onerror = (error) => void problems.push(error);
  const around = { FORGE_KEY_STORE: 'file', FORGE_PORT: '0', FORGE_LOG: 'debug' };
  const transport = new StdioClientTransport({
    ...{ command, args, stderr: 'ignore' },
    env: { ...getDefaultEnvironment(), ...around, ...env },
  });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    expect(problems).toEqual([]);
  });
  return client;
}

/** A data dir with the connector above, which no Forge uses. */
async function prepared(): Promise<{ dataDir: string; seen: unknown[] }> {
  const folder = tempFolder();
  const dataDir = path.join(folder, 'data');
  const service = await upstream(json({ fine: true }));
  const forge = await startForgeProcess(dataDir);
  await forge.call('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.call('PUT', '/api/connectors/lines/settings', { values: { base_url: service.url } });
  forge.child.kill('SIGTERM');
  await forge.exited;
  return { dataDir, seen: service.seen };
}

const WORDS = ['one', 'two', 'three'];

function hear(folder: string, word: string): void {
  writeFileSync(path.join(folder, word), '');
}

async function exercise(client: Client, seen: unknown[]): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['lines__talk', 'lines__get', 'lines__wipe', 'forge_read_result']);
  const progress: unknown[] = [];
  const heard = tempFolder();
  const onprogress = ({ message = '' }): void => {
    // On a slow machine it is also said that the call still runs.
    if (!WORDS.includes(message)) return;
    progress.push(message);
    hear(heard, message);
  };
  const talk = await client.callTool({ name: 'lines__talk', arguments: { heard } }, { onprogress });
  expect([textOf(talk), progress]).toEqual([WORDS.join('\n'), WORDS]);
  expect(textOf(await client.callTool({ name: 'lines__get' }))).toBe('{"fine":true}');
  const before = seen.length;
  expect((await client.callTool({ name: 'lines__wipe' })).isError).toBeUndefined();
  expect(seen).toHaveLength(before + 1);
}

describe('forge mcp on standard input and output', () => {
  it.each(['legacy', 'auto'] as const)('uses the Forge that runs, %s', async (era) => {
    const { dataDir, seen } = await prepared();
    const forge = await startForgeProcess(dataDir);
    await exercise(await connect(launch(dataDir), era), seen);
    const { calls } = (await (await forge.call('GET', '/api/calls')).json()) as { calls: { caller: string }[] };
    expect(new Set(calls.map(({ caller }) => caller))).toEqual(new Set(['pipe-client']));
  });

  it('starts one of its own, which a second client uses; that one goes on when the first is gone', async () => {
    const { dataDir, seen } = await prepared();
    const first = await connect(launch(dataDir));
    const second = await connect(launch(dataDir));
    await exercise(first, seen);
    await exercise(second, seen);
    await first.close();
    await exercise(second, seen);
  });

  it('tells the client when Forge is killed in the middle of a call, and serves the next one', async () => {
    const { dataDir } = await prepared();
    const forge = await startForgeProcess(dataDir);
    const client = await connect(launch(dataDir));
    const heard = tempFolder();
    for (const word of WORDS) hear(heard, word);
    const onprogress = () => void forge.child.kill('SIGKILL');
    const call = client.callTool({ name: 'lines__talk', arguments: { heard } }, { onprogress });
    await expect(call).rejects.toThrow();
    await forge.exited;
    expect(textOf(await client.callTool({ name: 'lines__get' }))).toBe('{"fine":true}');
  });

  it('works as `forge mcp install` has set it up', async () => {
    const { dataDir } = await prepared();
    const file = path.join(dataDir, '..', 'claude_desktop_config.json');
    const flags = ['--file', file, '--connectors', 'lines', '--read-only'];
    const installed = await runForge(dataDir, ['mcp', 'install', 'claude-desktop', ...flags]);
    expect(installed.code, installed.stderr).toBe(0);
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: { forge: Launch } };
    const client = await connect(mcpServers.forge);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['lines__get', 'forge_read_result']);
    expect(textOf(await client.callTool({ name: 'lines__wipe' }))).toContain('client_not_allowed');
  });
});
