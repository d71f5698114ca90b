import { expect, it } from 'vitest';
import { canInstall, CLIENT_KINDS, nameProblem } from './setup-lines.ts';

const LAUNCH = { command: '/opt/node', args: ['/opt/forge.mjs', 'mcp', '--client', 'my laptop'], env: {} };
const CLIENT = { token: 'fmc_x', origin: 'http://127.0.0.1:8403', launch: LAUNCH };
const linesOf = (id: string): string => CLIENT_KINDS.find((kind) => kind.id === id)?.lines(CLIENT) ?? '';

it('K-49 every client gets lines that lead to this Forge, with its own name or its own token', () => {
  expect(JSON.parse(linesOf('claude-desktop'))).toEqual({
    mcpServers: { forge: { command: LAUNCH.command, args: LAUNCH.args } },
  });
  const elsewhere = { ...CLIENT, launch: { ...LAUNCH, env: { FORGE_DATA_DIR: '/data' } } };
  expect(JSON.parse(CLIENT_KINDS[0].lines(elsewhere))).toEqual({ mcpServers: { forge: elsewhere.launch } });
  const server = { url: 'http://127.0.0.1:8403/mcp', headers: { Authorization: 'Bearer fmc_x' } };
  expect(JSON.parse(linesOf('cursor'))).toEqual({ mcpServers: { forge: server } });
  expect(JSON.parse(linesOf('vscode'))).toEqual({ servers: { forge: { type: 'http', ...server } } });
  expect(linesOf('claude-code')).toBe(
    'claude mcp add --transport http forge http://127.0.0.1:8403/mcp \\\n  --header "Authorization: Bearer fmc_x"',
  );
  expect(linesOf('codex')).toContain(`url = "${server.url}"\nhttp_headers = { Authorization = "Bearer fmc_x" }`);
  expect(JSON.parse(linesOf('gemini'))).toMatchObject({ mcpServers: { forge: { httpUrl: server.url } } });
  expect(JSON.parse(linesOf('opencode'))).toMatchObject({
    mcp: { forge: { type: 'remote', ...server, oauth: false } },
  });
  expect(linesOf('other')).toBe('http://127.0.0.1:8403/mcp\nAuthorization: Bearer fmc_x');
});

it('offers to write the lines only under the name that the command uses', () => {
  const [desktop] = CLIENT_KINDS;
  expect([canInstall(desktop, 'claude-desktop'), canInstall(desktop, 'laptop')]).toEqual([true, false]);
});

it.each([
  ['cursor', true],
  ['My laptop @home', true],
  ['', false],
  ['  ', false],
  ['<script>', false],
  ['x'.repeat(61), false],
])('%j as a name: %s', (name, isFine) => expect(nameProblem(name) === '').toBe(isFine));
