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
  health: { status: 'working', since: null, message: '' },
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
  const untested = { status: 'untested', since: null, message: '' } as const;
  const failing = { status: 'failing', since: '2026-03-01T14:03:20', message: 'Nothing listens there.' } as const;
  it.each([
    [{}, 'ready Ready'],
    [{ health: untested }, 'off Untested'],
    [{ health: untested, update }, 'off Update available'],
    [{ health: failing }, 'broken Failing since 14:03'],
    [{ health: failing, update }, 'broken Failing since 14:03'],
    [{ health: { ...failing, since: '2026-02-03T09:00:00' } }, 'broken Failing since Feb 3, 09:00'],
    [{ health: failing, state: 'needs_settings' }, 'needs Needs settings'],
    [{ state: 'needs_settings' }, 'needs Needs settings'],
    [{ state: 'needs_settings', update }, 'needs Needs settings'],
    [{ state: 'login_needed' }, 'needs Login needed'],
    [{ update }, 'ready Update available'],
    [{ update, review: true }, 'needs Changed'],
    [{ state: 'broken', review: true }, 'broken Broken'],
    [{ state: 'disabled', update }, 'off Off'],
  ] as const)('%j is %s', (given, expected) => {
    const { state, label } = connectorState(summary(given), Date.parse('2026-03-01T15:00:00'));
    expect(`${state} ${label}`).toBe(expected);
  });
});

it.each([
  ['', true],
  ['jira ISSUES', true],
  ['jira slack', false],
])('a search for %j', (text, expected) => {
  expect(matchesSearch(text, ['Jira', 'Reads issues'])).toBe(expected);
});
