import { expect, it } from 'vitest';
import { CLIENTS, type Surroundings } from './client-files.ts';

const LINUX: Surroundings = { platform: 'linux', home: '/home/ana', env: {} };
const MAC: Surroundings = { platform: 'darwin', home: '/Users/ana', env: {} };

it.each<[string, Surroundings, string]>([
  ['claude-desktop', LINUX, '/home/ana/.config/Claude/claude_desktop_config.json'],
  ['claude-desktop', MAC, '/Users/ana/Library/Application Support/Claude/claude_desktop_config.json'],
  [
    'claude-desktop',
    { platform: 'win32', home: '/c/ana', env: { APPDATA: '/c/ana/AppData/Roaming' } },
    '/c/ana/AppData/Roaming/Claude/claude_desktop_config.json',
  ],
  ['claude-code', LINUX, '/home/ana/.claude.json'],
  ['claude-code', { ...LINUX, env: { CLAUDE_CONFIG_DIR: '/etc/claude' } }, '/etc/claude/.claude.json'],
  ['cursor', MAC, '/Users/ana/.cursor/mcp.json'],
  ['vscode', LINUX, '/home/ana/.config/Code/User/mcp.json'],
  ['vscode', { ...LINUX, env: { XDG_CONFIG_HOME: '/cfg' } }, '/cfg/Code/User/mcp.json'],
  ['vscode', MAC, '/Users/ana/Library/Application Support/Code/User/mcp.json'],
  ['vscode', { platform: 'win32', home: '/c/ana', env: {} }, '/c/ana/AppData/Roaming/Code/User/mcp.json'],
  ['codex', LINUX, '/home/ana/.codex/config.toml'],
  ['codex', { ...LINUX, env: { CODEX_HOME: '/cfg/codex' } }, '/cfg/codex/config.toml'],
  ['gemini', MAC, '/Users/ana/.gemini/settings.json'],
  ['opencode', LINUX, '/home/ana/.config/opencode/opencode.json'],
  ['opencode', { ...MAC, env: { XDG_CONFIG_HOME: '/cfg' } }, '/cfg/opencode/opencode.json'],
])('%s looks in the right place', (client, around, file) => {
  expect(CLIENTS[client]!.file(around)).toBe(file);
});

it.each([
  ['claude-desktop', 'mcpServers', { command: 'node', args: ['x'] }],
  ['claude-code', 'mcpServers', { type: 'stdio', command: 'node', args: ['x'] }],
  ['cursor', 'mcpServers', { command: 'node', args: ['x'] }],
  ['vscode', 'servers', { type: 'stdio', command: 'node', args: ['x'] }],
  ['codex', 'mcp_servers', { command: 'node', args: ['x'], tool_timeout_sec: 600 }],
  ['gemini', 'mcpServers', { command: 'node', args: ['x'] }],
  ['opencode', 'mcp', { type: 'local', command: ['node', 'x'], enabled: true, timeout: 60_000 }],
])('%s finds what it wants under %s', (client, key, entry) => {
  const kind = CLIENTS[client]!;
  expect(kind.key).toBe(key);
  expect(kind.entry({ command: 'node', args: ['x'], env: {} })).toEqual(entry);
});
