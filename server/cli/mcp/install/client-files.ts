import path from 'node:path';
import type { Launch } from '../../../mcp/launch.ts';

/** What decides where a client keeps its configuration. */
export interface Surroundings {
  platform: NodeJS.Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** A client that can be set up: where it looks, and what it wants to find there. */
export interface ClientKind {
  title: string;
  file: (around: Surroundings) => string;
  /** The key that holds the servers. */
  key: string;
  entry: (launch: Launch) => Record<string, unknown>;
  /** `jsonc` has comments. */
  format: 'json' | 'jsonc' | 'toml';
  next: string;
}

const plain = ({ command, args, env }: Launch): Record<string, unknown> => ({
  ...{ command, args },
  ...(Object.keys(env).length === 0 ? {} : { env }),
});
/** A person may take minutes to approve a call, and these clients would give up on it before. */
const CALL_SECONDS = 600;
/** OpenCode begins to count again with every sign of progress. */
const SILENT_MS = 60_000;

const typed = (launch: Launch): Record<string, unknown> => ({ type: 'stdio', ...plain(launch) });

/** The clients by the names that `forge mcp install` takes. */
export const CLIENTS: Readonly<Record<string, ClientKind>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: (around) => path.join(applicationData(around), 'Claude', 'claude_desktop_config.json'),
    key: 'mcpServers',
    entry: plain,
    format: 'json',
    next: 'Quit Claude Desktop and open it again.',
  },
  'claude-code': {
    title: 'Claude Code',
    file: ({ home, env }) => path.join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
    key: 'mcpServers',
    entry: typed,
    format: 'json',
    next: 'Start a new session; /mcp shows whether it is connected.',
  },
  cursor: {
    title: 'Cursor',
    file: ({ home }) => path.join(home, '.cursor', 'mcp.json'),
    key: 'mcpServers',
    entry: plain,
    format: 'json',
    next: 'Switch it on under Cursor Settings → MCP.',
  },
  vscode: {
    title: 'VS Code',
    file: (around) => path.join(applicationData(around), 'Code', 'User', 'mcp.json'),
    key: 'servers',
    entry: typed,
    format: 'jsonc',
    next: 'Run “MCP: List Servers” and start forge.',
  },
  codex: {
    title: 'Codex',
    file: ({ home, env }) => path.join(env['CODEX_HOME'] || path.join(home, '.codex'), 'config.toml'),
    key: 'mcp_servers',
    entry: (launch) => ({ ...plain(launch), tool_timeout_sec: CALL_SECONDS }),
    format: 'toml',
    next: 'Start a new session; /mcp shows whether it is connected.',
  },
  gemini: {
    title: 'Gemini CLI',
    file: ({ home }) => path.join(home, '.gemini', 'settings.json'),
    key: 'mcpServers',
    entry: plain,
    format: 'jsonc',
    next: 'Start a new session in a folder that you trust; /mcp shows whether it is connected.',
  },
  opencode: {
    title: 'OpenCode',
    file: ({ home, env }) =>
      path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'opencode', 'opencode.json'),
    key: 'mcp',
    entry: ({ command, args, env }) => ({
      ...{ type: 'local', command: [command, ...args], enabled: true, timeout: SILENT_MS },
      ...(Object.keys(env).length === 0 ? {} : { environment: env }),
    }),
    format: 'jsonc',
    next: 'Start it again; `opencode mcp list` shows whether it is connected.',
  },
};

/** Where programs keep their settings, by the rules of the system. */
function applicationData({ platform, home, env }: Surroundings): string {
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] || path.join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] || path.join(home, '.config');
}
