import { spawn } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runForge, startForgeProcess, tempFolder } from './testing/forge-process.ts';
import { clientProgram } from './testing/real-clients.mjs';

// `npm run test:real` installs the clients and says so; without them there is nothing to look at.
const hasClients = process.env['FORGE_CLIENTS'] === '1';

/** Runs a client in a home of its own, with nothing of this computer's environment but the way to programs. */
async function runClient(client: string, home: string, args: string[]): Promise<string> {
  const child = spawn(clientProgram(client), args, {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}

/** Forge on a port of its own, and a client that `forge mcp install` has set up for it. */
async function world(client: string) {
  const home = tempFolder();
  const dataDir = path.join(tempFolder(), 'data');
  const forge = await startForgeProcess(dataDir);
  const around = { HOME: home, FORGE_PORT: new URL(forge.url).port };
  const installed = await runForge(dataDir, ['mcp', 'install', client], around);
  expect([installed.code, installed.stderr]).toEqual([0, '']);
  return { home, forge };
}

describe.skipIf(!hasClients)('K-49 a real client that forge mcp install has set up', () => {
  it.each([
    ['gemini', /✓ forge: .*Connected/],
    ['opencode', /✓ forge.*connected/],
    ['claude-code', /forge: .*✔ Connected/],
  ])('%s reaches Forge', async (client, connected) => {
    const { home, forge } = await world(client);
    expect(await runClient(client, home, ['mcp', 'list'])).toMatch(connected);
    const { clients } = (await (await forge.call('GET', '/api/mcp/clients')).json()) as {
      clients: { name: string; last_used_at: string | null }[];
    };
    expect(clients).toMatchObject([{ name: client, last_used_at: expect.any(String) }]);
  });

  it('codex reads what was written for it', async () => {
    const { home, forge } = await world('codex');
    const [, json = ''] = /(\[\s*\{.*\])/s.exec(await runClient('codex', home, ['mcp', 'list', '--json'])) ?? [];
    expect(JSON.parse(json)).toMatchObject([
      {
        name: 'forge',
        enabled: true,
        transport: {
          type: 'stdio',
          args: [expect.stringContaining('forge.mjs'), 'mcp', '--client', 'codex'],
          env: { FORGE_PORT: new URL(forge.url).port },
        },
        tool_timeout_sec: 600,
      },
    ]);
  });
});
