/** A program that can use Forge's tools, and how it is told about them. */
export interface ClientKind {
  id: string;
  title: string;
  /** What Forge offers as its name. */
  name: string;
  /** Where the lines go. */
  place: string;
  next: string;
  lines: (client: { token: string; origin: string; launch: Launch }) => string;
}

/** How a program starts Forge. */
export interface Launch {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const headers = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The clients that Forge knows by name, and every other one. */
export const CLIENT_KINDS: readonly [ClientKind, ...ClientKind[]] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    name: 'claude-desktop',
    place:
      'In claude_desktop_config.json (Settings → Developer → Edit Config). It starts Forge by itself and needs no token.',
    next: 'Quit Claude Desktop and open it again.',
    lines: ({ launch: { command, args, env } }) =>
      json({ mcpServers: { forge: { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) } } }),
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    name: 'claude-code',
    place: 'In a terminal:',
    next: 'Start a new session; /mcp shows whether it is connected.',
    lines: ({ token, origin }) =>
      `claude mcp add --transport http forge ${origin}/mcp \\\n  --header "Authorization: Bearer ${token}"`,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    name: 'cursor',
    place: 'In ~/.cursor/mcp.json:',
    next: 'Switch it on under Cursor Settings → MCP.',
    lines: ({ token, origin }) => json({ mcpServers: { forge: { url: `${origin}/mcp`, headers: headers(token) } } }),
  },
  {
    id: 'vscode',
    title: 'VS Code',
    name: 'vscode',
    place: 'In mcp.json (run “MCP: Open User Configuration”):',
    next: 'Run “MCP: List Servers” and start forge.',
    lines: ({ token, origin }) =>
      json({ servers: { forge: { type: 'http', url: `${origin}/mcp`, headers: headers(token) } } }),
  },
  {
    id: 'codex',
    title: 'Codex',
    name: 'codex',
    place: 'In ~/.codex/config.toml:',
    next: 'Start a new session; /mcp shows whether it is connected.',
    lines: ({ token, origin }) =>
      `[mcp_servers.forge]\nurl = "${origin}/mcp"\nhttp_headers = { Authorization = "Bearer ${token}" }\ntool_timeout_sec = 600`,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    name: 'gemini',
    place: 'In ~/.gemini/settings.json:',
    next: 'Start a new session in a folder that you trust; /mcp shows whether it is connected.',
    lines: ({ token, origin }) =>
      json({ mcpServers: { forge: { httpUrl: `${origin}/mcp`, headers: headers(token) } } }),
  },
  {
    id: 'opencode',
    title: 'OpenCode',
    name: 'opencode',
    place: 'In ~/.config/opencode/opencode.json:',
    next: 'Start it again; `opencode mcp list` shows whether it is connected.',
    lines: ({ token, origin }) =>
      json({
        mcp: {
          forge: { type: 'remote', url: `${origin}/mcp`, headers: headers(token), oauth: false, timeout: 60_000 },
        },
      }),
  },
  {
    id: 'other',
    title: 'Other',
    name: '',
    place: 'Give it the address, and the token as a header:',
    next: 'Any client of the Model Context Protocol over HTTP will do.',
    lines: ({ token, origin }) => `${origin}/mcp\nAuthorization: Bearer ${token}`,
  },
];

/** True where Forge can write the lines by itself. */
export function canInstall(kind: ClientKind, name: string): boolean {
  return kind.name !== '' && kind.name === name;
}

const NAME = /^[A-Za-z0-9][\w .@-]{0,59}$/;

/** What is wrong with a name, as the server would say; empty when nothing is. */
export function nameProblem(name: string): string {
  if (name.trim() === '') return 'Give it a name: the call log shows it';
  return NAME.test(name.trim()) ? '' : 'Use up to 60 letters, digits, spaces and _ . @ -';
}
