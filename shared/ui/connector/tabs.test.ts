import { expect, it } from 'vitest';
import { tabOf } from './tabs.ts';

it.each([
  [undefined, '', 'settings'],
  [undefined, 'tool=jira.search', 'tools'],
  ['tools', '', 'tools'],
  ['readme', 'tool=x', 'readme'],
  ['edit', '', 'edit'],
  ['nonsense', '', 'settings'],
])('%s?%s leads to %s', (word, query, tab) => expect(tabOf(word, new URLSearchParams(query))).toBe(tab));
