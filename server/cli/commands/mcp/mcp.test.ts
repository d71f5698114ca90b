import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliWorld } from '../../testing/cli-world.ts';

const FORGE = path.resolve(import.meta.dirname, '../../../launch/forge.mjs');

function entryIn(file: string, key = 'mcpServers', name = 'forge') {
  return JSON.parse(readFileSync(file, 'utf8'))[key][name];
}

interface Entry {
  command: string;
  args: string[];
}

const clients = async (world: ReturnType<typeof cliWorld>) =>
  JSON.parse((await world.run('mcp token list --json')).stdout) as Record<string, unknown>[];

describe('forge mcp install', () => {
  it.each([
    ['claude-desktop', 'mcpServers'],
    ['claude-code', 'mcpServers'],
    ['cursor', 'mcpServers'],
    ['vscode', 'servers'],
  ])('sets up %s, names it in Forge, and does nothing the second time', async (client, key) => {
    const world = cliWorld();
    const file = path.join(world.root, 'new', 'folder', 'config.json');
    const first = await world.run(`mcp install ${client} --file ${file}`);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain(file);
    expect(entryIn(file, key)).toMatchObject({
      command: process.execPath,
      args: [FORGE, 'mcp', '--client', client],
      env: { FORGE_DATA_DIR: world.dataDir },
    });
    expect(await clients(world)).toMatchObject([{ name: client, connectors: null, read_only: false }]);
    const before = readFileSync(file);
    const second = await world.run(`mcp install ${client} --file ${file}`);
    expect(second.stdout).toContain('set up already');
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(path.dirname(file))).toEqual(['config.json']);
    expect(await clients(world)).toHaveLength(1);
  });

  it.each([
    ['gemini', 'mcpServers', (entry: Entry) => [entry.command, ...entry.args]],
    ['opencode', 'mcp', (entry: Entry) => entry.command],
  ])('sets up %s, with the port of this Forge', async (client, key, commandOf) => {
    const world = cliWorld({ FORGE_PORT: '18403' });
    const file = path.join(world.root, 'config.json');
    expect((await world.run(`mcp install ${client} --file ${file}`)).code).toBe(0);
    const entry = entryIn(file, key);
    expect(commandOf(entry)).toEqual([process.execPath, FORGE, 'mcp', '--client', client]);
    expect(entry.env ?? entry.environment).toEqual({ FORGE_DATA_DIR: world.dataDir, FORGE_PORT: '18403' });
    expect((await world.run(`mcp install ${client} --file ${file}`)).stdout).toContain('set up already');
  });

  it('sets up codex in its TOML, keeps the rest of it, and refuses a server that is somebody else’s', async () => {
    const world = cliWorld();
    const before = 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "forge"\n';
    const file = world.write('config.toml', before);
    expect((await world.run(`mcp install codex --file ${file}`)).code).toBe(0);
    const text = readFileSync(file, 'utf8');
    expect(text.startsWith(`${before}\n[mcp_servers.forge]\ncommand = ${JSON.stringify(process.execPath)}\n`)).toBe(
      true,
    );
    expect(text).toContain('"mcp", "--client", "codex"]\n');
    expect((await world.run(`mcp install codex --file ${file}`)).stdout).toContain('set up already');
    expect((await world.run(`mcp install codex --print`)).stdout).toMatch(/^\[mcp_servers\.forge\]\ncommand = /);
    const { code, stderr } = await world.run(`mcp install codex --file ${file} --name other`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('not this Forge')]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('keeps everything else in the file, its mode, the link to it, and a copy of what it was', async () => {
    const world = cliWorld();
    const text = '{ "theme":"dark",\n  "mcpServers": { "other": { "command": "x", "env": { "KEY": "secret" } } } }\n';
    const file = world.write('dotfiles/config.json', text);
    chmodSync(file, 0o640);
    const link = path.join(world.root, 'config.json');
    symlinkSync(file, link);
    const { code, stdout } = await world.run(`mcp install cursor --file ${link}`);
    expect(code).toBe(0);
    const { theme, mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
    expect(theme).toBe('dark');
    expect(mcpServers.other).toEqual({ command: 'x', env: { KEY: 'secret' } });
    expect(Object.keys(mcpServers)).toEqual(['other', 'forge']);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const [backup] = readdirSync(path.dirname(file)).filter((name) => name !== 'config.json');
    expect(backup).toMatch(/^config\.json\.before-forge-\d{8}T\d{6}$/);
    expect(stdout).toContain(backup);
    expect(readFileSync(path.join(path.dirname(file), backup!), 'utf8')).toBe(text);
  });

  it.each([
    ['half a file', '{"mcpServers": {"other": '],
    ['a list', '[]'],
    ['servers that are a list', '{"mcpServers": []}'],
    ['a comment', '{ // mine\n }'],
  ])('refuses %s and leaves it alone', async (_title, text) => {
    const world = cliWorld();
    const file = world.write('config.json', text);
    const { code, stderr } = await world.run(`mcp install cursor --file ${file}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/config\.json is not what Cursor expects: line 1: /);
    expect(stderr).toContain('--print');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(world.root)).not.toContainEqual(expect.stringContaining('before-forge'));
    expect(await clients(world)).toEqual([]);
  });

  it('does not replace a server of the same name that is somebody else’s', async () => {
    const world = cliWorld();
    const text = '{"mcpServers": {"forge": {"command": "npx", "args": ["minecraft-forge"]}}}';
    const file = world.write('config.json', text);
    const { code, stderr } = await world.run(`mcp install cursor --file ${file}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('--name')]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await world.run(`mcp install cursor --file ${file} --name forge-local`)).code).toBe(0);
    expect(entryIn(file).args).toEqual(['minecraft-forge']);
    expect(entryIn(file, 'mcpServers', 'forge-local').args).toContain('mcp');
  });

  it('gives limits, keeps them when it is run again without, and replaces them when others are given', async () => {
    const world = cliWorld();
    const file = path.join(world.root, 'config.json');
    const install = (flags: string) => world.run(`mcp install vscode --file ${file}${flags}`);
    const first = await install(' --connectors jira,github --read-only');
    expect(first.stdout).toContain('It may use: jira, github, only reading\n');
    const limited = { name: 'vscode', connectors: ['jira', 'github'], read_only: true };
    expect(await clients(world)).toMatchObject([limited]);
    await install('');
    expect(await clients(world)).toMatchObject([limited]);
    expect((await install(' --connectors jira')).stdout).toContain('It may use: jira\n');
    expect(await clients(world)).toMatchObject([{ connectors: ['jira'], read_only: false }]);
  });

  it('shows the lines and changes nothing with --print', async () => {
    const world = cliWorld();
    const file = path.join(world.root, 'config.json');
    const { stdout } = await world.run(`mcp install vscode --file ${file} --print`);
    expect(JSON.parse(stdout).servers.forge).toMatchObject({ type: 'stdio' });
    expect(existsSync(file)).toBe(false);
  });

  it('names the clients it knows', async () => {
    const { code, stderr } = await cliWorld().run('mcp install emacs');
    expect([code, stderr]).toEqual([2, expect.stringContaining('claude-desktop, claude-code, cursor, vscode')]);
  });
});

describe('forge mcp token', () => {
  it('makes a token that opens /mcp with its limits, lists it, and revokes it', async () => {
    const world = cliWorld();
    const forge = await world.startServer();
    const made = await world.run('mcp token --name nightly --connectors jira,github --read-only');
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toMatch(/^fmc_[\w-]{43}\n$/);
    expect(made.stderr).toContain('jira, github, only reading');
    const ping = async () => {
      const response = await fetch(`${forge.url}/mcp`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${made.stdout.trim()}`, 'Content-Type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
      await response.text();
      return response.status;
    };
    expect(await ping()).toBe(200);
    const { stdout } = await world.run('mcp token list');
    expect(stdout).toMatch(/nightly .*jira, github, only reading/);
    expect(stdout).not.toContain('fmc_');
    expect((await world.run('mcp token revoke nightly')).code).toBe(0);
    expect(await ping()).toBe(401);
    expect((await world.run('mcp token revoke nightly')).code).toBe(1);
    expect((await world.run('mcp token list')).stdout).toContain('No client has a name yet');
  });

  it('refuses a name that is taken', async () => {
    const world = cliWorld();
    await world.run('mcp token --name one');
    const { code, stderr } = await world.run('mcp token --name One');
    expect([code, stderr]).toEqual([1, expect.stringContaining('already')]);
  });
});
