import { describe, expect, it } from 'vitest';
import { matchPath } from './match-path.ts';

describe('paths of views', () => {
  it.each([
    ['/settings/connectors', '/settings/connectors', {}],
    ['/settings/connectors', '/settings/connectors/', {}],
    ['/settings/connectors/:id', '/settings/connectors/jira', { id: 'jira' }],
    ['/settings/connectors/:id', '/settings/connectors/a%2Fb', { id: 'a/b' }],
    ['/settings/connectors/:id', '/settings/connectors/', null],
    ['/settings/connectors/:id', '/settings/connectors/jira/edit', null],
    ['/settings/connectors/:id/edit', '/settings/connectors/jira/edit', { id: 'jira' }],
    ['/activity/:call', '/activity/%E0%A4%A', null],
    ['/activity', '/settings', null],
  ])('%s reads %s', (pattern, path, expected) => {
    expect(matchPath(pattern, path)).toEqual(expected);
  });
});
