import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startForgeProcess, tempFolder } from './testing/forge-process.ts';

const FORGE = path.resolve(import.meta.dirname, '../server/launch/forge.mjs');
/** The program, which .scripts/test.mjs installs. */
const INSPECTOR = process.env['FORGE_INSPECTOR'];

const run = promisify(execFile);

describe('the MCP inspector’s command line', () => {
  it.each(['http', 'stdio'])('lists and calls over %s', async (transport) => {
    const dataDir = path.join(tempFolder(), 'data');
    const forge = await startForgeProcess(dataDir);
    await forge.call('POST', '/api/connectors/marketplace/git/install');
    const target =
      transport === 'http'
        ? [`${forge.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${forge.token}`]
        : ['-e', `FORGE_DATA_DIR=${dataDir}`, process.execPath, FORGE, 'mcp'];
    const inspect = async (...args: string[]) => {
      const { stdout } = await run(process.execPath, [INSPECTOR ?? '', '--cli', ...target, ...args]);
      return JSON.parse(stdout) as { tools: { name: string }[]; content: { text: string }[] };
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools.map(({ name }) => name)).toContain('git__log');
    const args = ['--tool-arg', `repo=${path.dirname(path.dirname(FORGE))}`, '--tool-arg', 'limit=1'];
    const { content } = await inspect('--method', 'tools/call', '--tool-name', 'git__log', ...args);
    expect(content[0]?.text).toMatch(/^[0-9a-f]{7,}\t/);
  });
});
