import { describe, expect, it } from 'vitest';
import { paletteEntries, searchEntries } from './palette-entries.ts';

const tool = (id: string, description = '') => ({
  ...{ id, name: id, connector: id, package: id, description },
  ...{ protocol: 'http', destructive: false, only_reads: true, mode: 'on' as const, input_schema: {} },
});
const ENTRIES = paletteEntries(
  [{ path: '/settings/connectors', title: 'Connectors' }],
  [],
  [tool('jira.list_issues', 'Issues of a project'), tool('github.issues'), tool('issues.all')],
);

describe('the palette', () => {
  it.each([
    ['', ['Connectors', 'jira.list_issues', 'github.issues', 'issues.all']],
    ['issues', ['issues.all', 'jira.list_issues', 'github.issues']],
    ['PROJECT', ['jira.list_issues']],
    ['git issues', ['github.issues']],
    ['nothing', []],
  ])('%j finds %j', (text, expected) => {
    expect(searchEntries(ENTRIES, text).map(({ label }) => label)).toEqual(expected);
  });

  it('W-20 leads from a setting to its field', () => {
    const field = { connector: 'jira', connector_name: 'JIRA', name: 'base_url', label: 'Base URL' };
    const [found] = searchEntries(paletteEntries([], [], [], [field]), 'jira base');
    expect(found).toMatchObject({
      kind: 'Setting',
      label: 'Base URL',
      path: '/settings/connectors/jira?field=base_url',
    });
  });

  it('K-01 leads from a tool of a bundle to the page of the bundle', () => {
    const [found] = paletteEntries([], [], [{ ...tool('mail.send'), package: 'office' }]);
    expect(found?.path).toBe('/settings/connectors/office?tool=mail.send');
  });
});
