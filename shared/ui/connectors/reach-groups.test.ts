import { describe, expect, it } from 'vitest';
import type { DiffAnswer } from '../../diff-api.ts';
import { reachGroups } from './reach-groups.ts';

const NONE = { added: [], removed: [] };
const NOTHING: DiffAnswer = {
  id: 'a',
  from_version: '1.0.0',
  to_version: '1.1.0',
  changed: false,
  asks: false,
  flows: NONE,
  hosts: NONE,
  sites: NONE,
  commands: NONE,
  secrets: NONE,
  destructive: NONE,
  risks: NONE,
  tools: NONE,
  scripts: [],
  lines: [],
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
        entries.map(({ kind, isPower, text, note }) => [isPower ? `${kind}!` : kind, text, note].join(' | ')),
      ]),
    ).toEqual([
      ['Gives up safety', ['added! | a: certificates are not checked | ']],
      [
        'Talks to',
        [
          'added! | https://{args.host} | a host that a call names; you allow each one',
          'added! | {settings.base_url} | the address you enter as “base_url”',
          'added! | https://b.test | ',
          'removed | https://a.test | ',
        ],
      ],
      ['Changes things, and asks you before each time', ['removed! | a.delete | no longer asks you']],
    ]);
  });

  it('marks a new tool that changes things, and neither one that asks from now on nor one that is gone', () => {
    const [group] = reachGroups({
      ...NOTHING,
      tools: { added: ['a.wipe'], removed: ['a.old'] },
      destructive: { added: ['a.wipe', 'a.rename'], removed: ['a.old', 'a.delete'] },
    });
    expect(group?.entries.map(({ text, isPower, note }) => [text, isPower, note])).toEqual([
      ['a.wipe', true, ''],
      ['a.rename', false, ''],
      ['a.old', false, ''],
      ['a.delete', true, 'no longer asks you'],
    ]);
  });
});
