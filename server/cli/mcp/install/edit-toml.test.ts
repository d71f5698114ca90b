import { describe, expect, it } from 'vitest';
import { readTable, setTable } from './edit-toml.ts';

const OWN = { command: 'node', args: ['a "b"', 'c\\d'], env: { 'A B': 'x' }, tool_timeout_sec: 600 };
const TABLE = `[mcp_servers.forge]
command = "node"
args = ["a \\"b\\"", "c\\\\d"]
env = { "A B" = "x" }
tool_timeout_sec = 600
`;
const set = (text: string): string => setTable(text, 'mcp_servers', 'forge', OWN);
const read = (text: string): string | undefined => readTable(text, 'mcp_servers', 'forge');

/** Text in which nothing but the last lines is a table of its own. */
const TRICKY = `notes = """
[mcp_servers.forge]
not a table
"""
list = [
  [1, 2], # [mcp_servers.forge]
  ['[mcp_servers.forge]'],
]
path = 'C:\\' # a literal
`;

describe('a table of a TOML file', () => {
  it.each([
    ['an empty file', '', TABLE],
    ['other settings', 'model = "x"\n', `model = "x"\n\n${TABLE}`],
    ['texts and lists that look like tables', TRICKY, `${TRICKY}\n${TABLE}`],
    ['other servers', '[mcp_servers.a]\ncommand = "x"\n', `[mcp_servers.a]\ncommand = "x"\n\n${TABLE}`],
    [
      'an earlier one between others, with a table below it',
      'a = 1\n\n[mcp_servers.forge]\nold = 1\n[mcp_servers.forge.env]\nX = "y"\n[b]\nc = 2\n',
      `a = 1\n\n${TABLE}\n[b]\nc = 2\n`,
    ],
    ['a header in quotes', '[ "mcp_servers" . \'forge\' ] # mine\nold = 1\n', TABLE],
  ])('is set in %s, and setting it again changes nothing', (_title, before, after) => {
    expect(set(before)).toBe(after);
    expect(set(after)).toBe(after);
    expect(read(after)?.trim()).toBe(TABLE.trim());
  });

  it('keeps the line endings of the file', () => {
    expect(set('a = 1\r\n')).toBe(`a = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`);
  });

  it.each([
    ['a text without an end', 'a = "x\n'],
    ['a list without an end', 'a = [1,\n2\n'],
    ['a header without an end', '[a\n'],
    ['a line that is no setting', 'hello world\n'],
    ['the servers in one line', 'mcp_servers = { forge = { command = "x" } }\n'],
    ['the server as a dotted key', 'mcp_servers.forge.command = "x"\n'],
    ['the server within the table of servers', '[mcp_servers]\nforge = { command = "x" }\n'],
  ])('is not set where there is %s', (_title, text) => {
    expect(() => set(text)).toThrow();
    expect(() => read(text)).toThrow();
  });
});
