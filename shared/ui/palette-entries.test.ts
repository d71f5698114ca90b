import { describe, expect, it } from 'vitest';
import { paletteEntries, searchEntries, type PaletteEntry } from './palette-entries.ts';

const entry = (label: string, note = ''): PaletteEntry => ({ id: label, kind: 'Tool', label, note, path: '/' });
const ENTRIES = [
  entry('Connectors'),
  entry('jira.list_issues', 'Issues of a project'),
  entry('github.issues'),
  entry('issues.all'),
];

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

  it('K-01 leads from a tool of a bundle to the page of the bundle', () => {
    const tool = { id: 'mail.send', name: 'mail__send', connector: 'mail', package: 'office', description: 'Sends.' };
    const [found] = paletteEntries([], [], [{ ...tool, protocol: 'http', destructive: true, input_schema: {} }]);
    expect(found?.path).toBe('/settings/connectors/office?tool=mail.send');
  });
});
