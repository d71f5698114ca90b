import { describe, expect, it } from 'vitest';
import { lintManifest } from '../../../manifest/lint.ts';
import { changeBetween } from './change-between.ts';
import { bumpVersion } from './bump-version.ts';
import { quickFix, rangeOf } from './quick-fix.ts';
import { fillTemplate, idOfName, TEMPLATES } from './templates.ts';

const OPTIONS = { forgeVersion: '1.0.0' };

describe('C-120 saving an edited manifest', () => {
  it.each([
    ['version: "1.2.3"\n', '1.2.3', 'version: "1.2.4"\n'],
    ["id: a\nversion: '0.1.9' # why\n", '0.1.9', "id: a\nversion: '0.1.10' # why\n"],
    ['version: 2.0.0\nname: b', '2.0.0', 'version: "2.0.1"\nname: b'],
    ['version: "1.2"\n', '1.2', 'version: "1.2.1"\n'],
    ['version: "1.3.0"\n', '1.2.3', 'version: "1.3.0"\n'],
    ['  version: "1.2.3"\n', '1.2.3', '  version: "1.2.3"\n'],
    ['id: a\n', '1.2.3', 'id: a\n'],
    ['version: soon\n', 'soon', 'version: soon\n'],
  ])('%j over %s becomes %j', (text, installed, expected) => expect(bumpVersion(text, installed)).toBe(expected));
});

describe('a quick fix', () => {
  const fixed = (text: string): string => {
    const { diagnostics } = lintManifest(text, OPTIONS);
    const fix = diagnostics.map((finding) => quickFix(text, finding)).find((found) => found !== null);
    return fix === undefined ? text : text.slice(0, fix.from) + fix.insert + text.slice(fix.to);
  };
  const base = (rest: string): string =>
    `id: a\nname: A\nversion: "1.0.0"\ndescription: A connector for testing fixes.\n${rest}`;
  const tool = (rest: string): string => base(`tools:\n  t:\n    protocol: shell\n    description: d\n${rest}`);

  it.each([
    ['a mistyped key', tool('    comand: [ls]\n    command: [ls]\n'), '    command: [ls]\n    command: [ls]\n'],
    ['a mistyped word', tool('    command: [ls]\n').replace('shell', 'shel'), 'protocol: shell'],
    ['a number where text belongs', tool('    command: [ls]\n').replace('name: A', 'name: 7'), 'name: "7"'],
    [
      'a mistyped token',
      tool('    parameters: { owner: { type: string } }\n    command: [ls, "{args.ower}"]\n'),
      '{args.owner}',
    ],
    [
      'a secret stored as text',
      base(
        'settings: { api_token: { type: string } }\ntools: { t: { protocol: shell, description: d, command: [ls] } }',
      ),
      'type: secret',
    ],
  ])('mends %s', (_what, text, expected) => {
    expect(text).not.toContain(expected);
    expect(fixed(text)).toContain(expected);
  });

  it('offers nothing where a person has to think, and stays inside the text', () => {
    expect(fixed('id: a\nname: A\nversion: "1.0.0"\n')).toBe('id: a\nname: A\nversion: "1.0.0"\n');
    const far = { severity: 'error', rule: 'x', message: 'm', path: '', line: 99, column: 99, endColumn: 200 } as const;
    expect(rangeOf('ab\ncd', far)).toEqual({ from: 5, to: 5 });
    expect(rangeOf('ab\ncd', { ...far, line: 1, column: 2, endColumn: 99 })).toEqual({ from: 1, to: 2 });
  });
});

describe('C-119 a new connector', () => {
  it.each(TEMPLATES.map(({ kind }) => kind))('from the %s template has nothing to complain about', (kind) => {
    const name = 'My "odd": name\n# really';
    const { diagnostics, package: pack } = lintManifest(fillTemplate(kind, { id: 'mine', name }), OPTIONS);
    expect(diagnostics).toEqual([]);
    expect(pack).toMatchObject({ id: 'mine', name, version: '0.1.0' });
  });

  it.each([
    ['My Wiki', 'my-wiki'],
    ['  Büro & Co. 2 ', 'buro-co-2'],
    ['///', ''],
  ])('takes %j as %j', (name, id) => expect(idOfName(name)).toBe(id));
});

describe('a text that replaces another', () => {
  it.each([
    ['version: "1.0.0"\nid: a', 'version: "1.0.1"\nid: a'],
    ['aaa', 'aa'],
    ['aa', 'aaa'],
    ['', 'new'],
    ['old', ''],
    ['same', 'same'],
  ])('%j becomes %j by one change', (before, after) => {
    const { from, to, insert } = changeBetween(before, after);
    expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
  });

  it('touches nothing but what differs', () => {
    expect(changeBetween('version: "1.0.0"\nid: a', 'version: "1.0.1"\nid: a')).toEqual({
      from: 14,
      to: 15,
      insert: '1',
    });
  });
});
