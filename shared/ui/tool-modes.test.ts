import { describe, expect, it } from 'vitest';
import type { ToolPreview } from '../install-api.ts';
import { modesQuery, toolGroups } from './tool-modes.ts';

const tool = (id: string, more: Partial<ToolPreview> = {}): ToolPreview => ({
  ...{ id, description: '', destructive: false, only_reads: false, by_claim: false, mode: 'on', before: null },
  ...more,
});
const READS = { only_reads: true };
const CLAIMS = { only_reads: true, by_claim: true };
const was = (only_reads: boolean) => ({ before: { only_reads } });

describe('K-64 the tools that a person decides about', () => {
  it('are those that change things and those that only claim to read', () => {
    const all = [tool('a.post'), tool('a.get', READS), tool('a.look', CLAIMS), tool('a.wipe', { destructive: true })];
    const shown = toolGroups(all, false).map(({ title, tools }) => [title, tools.map((one) => one.tool.id)]);
    expect(shown).toEqual([
      ['Changes things', ['a.post', 'a.wipe']],
      ['Only reads, says its author', ['a.look']],
    ]);
  });

  it('are only the news of an update', () => {
    const all = [
      tool('a.old', was(false)),
      tool('a.new'),
      tool('a.turned', was(true)),
      tool('a.claims', { ...CLAIMS, ...was(false) }),
      tool('a.claimed', { ...CLAIMS, ...was(true) }),
      tool('a.get', READS),
    ];
    const shown = toolGroups(all, true).flatMap(({ tools }) => tools.map((one) => [one.tool.id, one.note]));
    expect(shown).toEqual([
      ['a.new', 'New'],
      ['a.turned', 'Only read before'],
      ['a.claims', 'Changed things before'],
    ]);
    expect(toolGroups([tool('a.old', was(false))], true)).toEqual([]);
  });
});

it('K-64 sends the modes that were chosen with the installation', () => {
  expect(modesQuery({})).toBe('');
  expect(modesQuery({ 'a.b': 'ask', 'a.c': 'never', 'a.d': 'ask' })).toBe('&ask=a.b,a.d&never=a.c');
});
