import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEntry, setEntry } from './edit-json.ts';
import { TextProblem } from './text-problem.ts';
import { rounds } from '../../../../shared/testing/rounds.ts';

const VALUE = { command: 'node', args: ['forge', 'mcp'] };
const SHOWN = '{\n      "command": "node",\n      "args": [\n        "forge",\n        "mcp"\n      ]\n    }';
const set = (text: string, hasComments = false) => setEntry(text, 'mcpServers', 'forge', VALUE, { hasComments });

describe('setting an entry', () => {
  it.each<[string, string, string]>([
    ['nothing', '', `{\n  "mcpServers": {\n    "forge": ${SHOWN}\n  }\n}\n`],
    ['an empty object', '{}', `{\n  "mcpServers": {\n    "forge": ${SHOWN}\n  }\n}`],
    ['an empty object on two lines', '{\n}\n', `{\n  "mcpServers": {\n    "forge": ${SHOWN}\n  }\n}\n`],
    [
      'others',
      '{\n  "theme": "dark"\n}\n',
      `{\n  "theme": "dark",\n  "mcpServers": {\n    "forge": ${SHOWN}\n  }\n}\n`,
    ],
    [
      'no servers yet',
      '{\n  "mcpServers": {},\n  "theme": 1.0\n}\n',
      `{\n  "mcpServers": {\n    "forge": ${SHOWN}\n  },\n  "theme": 1.0\n}\n`,
    ],
    [
      'another server',
      '{\n  "mcpServers": {\n    "other": { "command":   "x" }\n  }\n}\n',
      `{\n  "mcpServers": {\n    "other": { "command":   "x" },\n    "forge": ${SHOWN}\n  }\n}\n`,
    ],
    [
      'an earlier entry',
      '{\n  "mcpServers": {\n    "forge": { "command": "old" },\n    "other": 1\n  }\n}\n',
      `{\n  "mcpServers": {\n    "forge": ${SHOWN},\n    "other": 1\n  }\n}\n`,
    ],
  ])('%s', (_title, before, after) => {
    expect(set(before)).toBe(after);
    expect(set(after)).toBe(after);
  });

  it('keeps tabs, line ends of Windows, and what would not survive being read and written', () => {
    const before = '{\r\n\t"big": 12345678901234567890,\r\n\t"twice": 1,\r\n\t"twice": 2.50\r\n}\r\n';
    const after = set(before);
    expect(after.startsWith(before.slice(0, -'\r\n}\r\n'.length))).toBe(true);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(after).toContain('\r\n\t\t"forge": {\r\n\t\t\t"command"');
    expect(readEntry(after, 'mcpServers', 'forge', { hasComments: false })).toEqual(VALUE);
  });

  it('keeps comments where they are part of the format', () => {
    const before = `{
  // my servers
  "mcpServers": {
    "other": { "url": "http://a.test" }, // the one I like
    /* the last */ "more": 1, // with a comma
  },
}
`;
    const after = set(before, true);
    expect(after).toContain('// with a comma\n    "forge": {');
    expect(after.replace(/\n {4}"forge": [^]*?\n {4}\}/, '')).toBe(before);
    expect(readEntry(after, 'mcpServers', 'forge', { hasComments: true })).toEqual(VALUE);
    expect(set(after, true)).toBe(after);
  });

  it.each([
    ['a list', '[]', 1],
    ['half a file', '{\n  "a": {', 2],
    ['a comma too many', '{\n  "a": 1,\n}', 2],
    ['a comment', '{\n  // hello\n  "a": 1\n}', 2],
    ['no comma', '{\n  "a": 1\n  "b": 2\n}', 3],
    ['servers that are no object', '{\n  "a": 1,\n  "mcpServers": []\n}', 3],
    ['two files in one', '{}\n{}', 2],
    ['single quotes', "{'a': 1}", 1],
    ['a number that is none', '{"a": 1.2.3}', 1],
  ])('refuses %s, and says where', (_title, text, line) => {
    expect(() => set(text)).toThrow(expect.objectContaining({ line }));
    expect(() => set(text)).toThrow(TextProblem);
  });

  it('changes nothing but its own entry, whatever the file holds', () => {
    const names = fc.stringMatching(/^[\w "\\/{}[\],:.-]{0,12}$/);
    const file = fc.dictionary(names, fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue())));
    const servers = fc.dictionary(names, fc.jsonValue());
    fc.assert(
      fc.property(file, fc.option(servers), fc.constantFrom(undefined, 1, 2, '\t'), (others, there, indent) => {
        const object: Record<string, unknown> = { ...others };
        delete object['mcpServers'];
        if (there !== null) object['mcpServers'] = there;
        const after = set(JSON.stringify(object, null, indent));
        const { mcpServers, ...rest } = JSON.parse(after);
        const { forge, ...left } = mcpServers;
        const { forge: _forge, ...before } = there ?? {};
        const { mcpServers: _servers, ...restBefore } = JSON.parse(JSON.stringify(object));
        expect(forge).toEqual(VALUE);
        expect(left).toEqual(JSON.parse(JSON.stringify(before)));
        expect(rest).toEqual(restBefore);
      }),
      { numRuns: rounds(500) },
    );
  });
});
