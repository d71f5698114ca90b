import { describe, expect, it } from 'vitest';
import type { ConnectorSummary } from '../../api.ts';
import { connectorState, matchesSearch } from './connector-state.ts';

const summary = (given: Partial<ConnectorSummary>): ConnectorSummary => ({
  id: 'a',
  name: 'A',
  icon: '',
  version: '1.0.0',
  author: '',
  description: '',
  category: '',
  state: 'ready',
  reason: '',
  enabled: true,
  tools: 1,
  path: '',
  sha256: '',
  edited: false,
  source: { kind: 'yaml' },
  installed_at: null,
  updated_at: null,
  update: null,
  review: false,
  ...given,
});

describe('C-140 the state of a connector in words', () => {
  const update = { version: '2.0.0' };
  it.each([
    [{}, 'Ready'],
    [{ state: 'needs_settings' }, 'Needs settings'],
    [{ state: 'needs_settings', update }, 'Needs settings'],
    [{ state: 'login_needed' }, 'Login needed'],
    [{ update }, 'Update available'],
    [{ update, review: true }, 'Changed'],
    [{ state: 'broken', review: true }, 'Broken'],
    [{ state: 'disabled', update }, 'Off'],
  ] as const)('%j is %s', (given, expected) => {
    expect(connectorState(summary(given)).label).toBe(expected);
  });
});

it.each([
  ['', true],
  ['jira ISSUES', true],
  ['jira slack', false],
])('a search for %j', (text, expected) => {
  expect(matchesSearch(text, ['Jira', 'Reads issues'])).toBe(expected);
});
