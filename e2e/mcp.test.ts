import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textOf } from '../server/mcp/testing/client.ts';
import { json, upstream } from '../server/testing/upstream.ts';
import { runForge, startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { pairBrowser } from './testing/paired-browser.ts';

const FORGE = path.resolve(import.meta.dirname, '../server/launch/forge.mjs');
const MANIFEST = `id: lines
name: Lines
version: "1.0.0"
description: Commands and requests for a client at the other end of a pipe.
settings: { base_url: { required: true } }
host_match: https://demo.test/*
tools:
  talk:
    protocol: shell
    description: Says three words, each after the one before it was heard.
    parameters: { heard: { required: true } }
    command: [sh, -c, 'for n in one two three; do echo $n; until [ -e "$0/$n" ]; do sleep 0.02; done; done', '{args.heard}']
  get: { protocol: http, description: Get., request: { url: '{base_url}/x' } }
  wipe: { protocol: http, description: Wipe., destructive: true, request: { method: DELETE, url: '{base_url}/x' } }
  many: { protocol: shell, description: Many lines., command: [seq, '1', '20000'] }
  wait: { protocol: shell, description: Says which process it is and waits., command: [sh, -c, 'echo $$; exec sleep 600'] }
  page: { description: In the browser., script: return 1 }
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

const ERAS = ['legacy', 'auto'] as const;

interface ConnectOptions {
  era?: (typeof ERAS)[number];
  /** False for a client that cannot ask anybody. */
  canAsk?: boolean;
  options?: ClientOptions;
}

/** The official client, with `forge mcp` as its server; whatever is printed beside messages fails the test. */
async function connect({ command, args, env }: Launch, more: ConnectOptions = {}): Promise<Client> {
  const { era = 'legacy', canAsk = true, options } = more;
  const problems: Error[] = [];
  const client = new Client(
    { name: 'pipe-client', version: '1.0.0' },
    { versionNegotiation: { mode: era }, capabilities: canAsk ? { elicitation: { form: {} } } : {}, ...options },
  );
  if (canAsk)
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
  expect(tools.map(({ name }) => name)).toEqual([
    ...['talk', 'get', 'wipe', 'many', 'wait', 'page'].map((name) => `lines__${name}`),
    'forge_read_result',
  ]);
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
  it.each(ERAS)('uses the Forge that runs, %s', async (era) => {
    const { dataDir, seen } = await prepared();
    const forge = await startForgeProcess(dataDir);
    await exercise(await connect(launch(dataDir), { era }), seen);
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
    // It has said its first word then, and waits until somebody has heard it.
    const onprogress = () => void forge.child.kill('SIGKILL');
    const call = client.callTool({ name: 'lines__talk', arguments: { heard } }, { onprogress });
    await expect(call).rejects.toThrow();
    await forge.exited;
    for (const word of WORDS) hear(heard, word);
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

describe.each(ERAS)('a client at the other end of a pipe, %s', (era) => {
  /** A Forge with the connector above, and what its service was asked. */
  const world = async (
    env: Record<string, string> = {},
  ): Promise<{ forge: ForgeProcess; dataDir: string; seen: unknown[] }> => {
    const { dataDir, seen } = await prepared();
    return { forge: await startForgeProcess(dataDir, env), dataDir, seen };
  };

  it('finds, reads about and calls tools that are not listed', async () => {
    const { dataDir } = await world({ FORGE_MCP_MAX_TOOLS: '0' });
    const client = await connect(launch(dataDir), { era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      ['search_tools', 'describe_tool', 'call_tool', 'read_result'].map((name) => `forge_${name}`),
    );
    const call = async (name: string, args: Record<string, unknown>) =>
      textOf(await client.callTool({ name, arguments: args }));
    expect(await call('forge_search_tools', { query: 'many lines' })).toContain('\nlines__many(): Many lines.');
    expect(JSON.parse(await call('forge_describe_tool', { tools: ['lines__get'] }))).toMatchObject({
      name: 'lines__get',
    });
    expect(await call('forge_call_tool', { tool: 'lines__get', arguments: {} })).toBe('{"fine":true}');
  });

  it('runs a tool in the browser, and reads on in a large result', async () => {
    const { forge, dataDir } = await world();
    await pairBrowser(forge, { seen: 'the page' });
    const client = await connect(launch(dataDir), { era });
    expect(textOf(await client.callTool({ name: 'lines__page' }))).toBe('{"seen":"the page"}');
    const handle = /res_[0-9a-f]{24}/.exec(textOf(await client.callTool({ name: 'lines__many' })))?.[0];
    const read = async (args: object) =>
      JSON.parse(
        textOf(await client.callTool({ name: 'forge_read_result', arguments: { handle, ...args } })),
      ) as unknown;
    expect(await read({ limit: 100 })).toMatchObject({ kind: 'text', offset: 0, next_offset: 100 });
    expect(await read({ search: '19999' })).toMatchObject({ kind: 'matches', total: 1 });
  });

  it('stops the program of a call that it cancels', async () => {
    const { dataDir } = await world();
    const client = await connect(launch(dataDir), { era });
    const stop = new AbortController();
    let pid = 0;
    const onprogress = ({ message = '' }): void => {
      pid = Number(message);
      if (pid > 0) stop.abort('no longer wanted');
    };
    const call = client.callTool({ name: 'lines__wait' }, { signal: stop.signal, onprogress });
    await expect(call).rejects.toThrow('no longer wanted');
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(textOf(await client.callTool({ name: 'lines__get' }))).toBe('{"fine":true}');
  });

  it('is held when it cannot ask, hears that it waits, and gets the result once a person has approved the call', async () => {
    const { forge, dataDir, seen } = await world();
    const client = await connect(launch(dataDir), { era, canAsk: false });
    let id = '';
    const onprogress = ({ message = '' }): void => void (id = /apr_[0-9a-f]{16}/.exec(message)?.[0] ?? id);
    const held = client.callTool({ name: 'lines__wipe' }, { onprogress });
    await expect.poll(() => id).not.toBe('');
    expect(seen).toEqual([]);
    await forge.call('POST', `/api/approvals/${id}`, { decision: 'approve' });
    expect((await held).isError).toBeUndefined();
    expect(seen).toHaveLength(1);
  });

  it('hears of connectors that are installed and switched off', async () => {
    const { forge, dataDir } = await world();
    let heard: string[] = [];
    const onChanged = (_error: unknown, tools: readonly { name: string }[] | null) =>
      void (heard = (tools ?? []).map(({ name }) => name));
    const client = await connect(launch(dataDir), {
      era,
      options: { listChanged: { tools: { autoRefresh: true, debounceMs: 0, onChanged } } },
    });
    await client.listTools();
    const yaml = MANIFEST.replace('id: lines', 'id: others');
    let version = 0;
    // The client's stream opens when it finds the time, and nothing is heard before.
    const installOthers = async (): Promise<string[]> => {
      version += 1;
      await forge.call('POST', '/api/connectors/install-local', { yaml: yaml.replace('"1.0.0"', `"1.0.${version}"`) });
      return heard;
    };
    await expect.poll(installOthers).toContain('others__get');
    await forge.call('PATCH', '/api/connectors/others', { enabled: false });
    await expect.poll(() => heard).not.toContain('others__get');
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
