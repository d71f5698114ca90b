import { describe, expect, it } from 'vitest';
import type { DiffAnswer } from '../../api.ts';
import { reachesFurther } from '../../manifest/capability-diff.ts';
import { reachGroups } from './reach-groups.ts';

const NONE = { added: [], removed: [] };
const NOTHING: DiffAnswer = {
  id: 'a',
  from_version: '1.0.0',
  to_version: '1.1.0',
  changed: false,
  hosts: NONE,
  sites: NONE,
  commands: NONE,
  secrets: NONE,
  destructive: NONE,
  risks: NONE,
  tools: NONE,
  scripts: [],
  parameters: [],
};

describe('W-20 what a person reads before they say yes', () => {
  it('lists additions before what is gone, dangers first, and says who decides about a host', () => {
    const groups = reachGroups({
      ...NOTHING,
      hosts: { added: ['https://{args.host}', '{settings.base_url}', 'https://b.test'], removed: ['https://a.test'] },
      risks: { added: ['a: certificates are not checked'], removed: [] },
      destructive: { added: [], removed: ['a.delete'] },
    });
    expect(
      groups.map(({ title, entries }) => [
        title,
        entries.map(({ kind, text, note }) => [kind, text, note].join(' | ')),
      ]),
    ).toEqual([
      ['Gives up safety', ['added | a: certificates are not checked | ']],
      [
        'Talks to',
        [
          'added | https://{args.host} | a host that a call names; you allow each one',
          'added | {settings.base_url} | the address you enter as “base_url”',
          'added | https://b.test | ',
          'removed | https://a.test | ',
        ],
      ],
      ['Changes things, and asks you before each time', ['removed | a.delete | no longer asks you']],
    ]);
  });

  it.each([
    [{}, false],
    [{ hosts: { added: [], removed: ['https://a.test'] } }, false],
    [{ tools: { added: ['a.t'], removed: [] } }, false],
    [{ commands: { added: ['rm'], removed: [] } }, true],
    [{ destructive: { added: [], removed: ['a.t'] } }, true],
    [{ scripts: [{ tool: 'a.t', kind: 'changed', before: '1', after: '2' }] }, true],
    [{ scripts: [{ tool: 'a.t', kind: 'removed', before: '1', after: '' }] }, false],
  ])('%j asks again: %s', (given, expected) => {
    expect(reachesFurther({ ...NOTHING, ...given })).toBe(expected);
  });
});
