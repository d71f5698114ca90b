import { describe, expect, it } from 'vitest';
import { toPackage } from '../../../shared/manifest/connector.ts';
import type { Manifest } from '../../../shared/manifest/schema/manifest.ts';
import { openToolModes } from '../../connectors/testing/tool-modes.ts';
import { searchTools, toolLine } from './search-tools.ts';
import { NO_INSTANCES } from '../../settings/testing/no-instances.ts';
import { toolTexts } from './tool-text.ts';

const http = (description: string, more: object = {}) => ({
  ...{ protocol: 'http', description, request: { url: 'https://a.test' } },
  ...more,
});

const packages = [
  {
    id: 'jira',
    name: 'Jira',
    tools: {
      create_issue: http('Create an issue in a project.', {
        destructive: true,
        parameters: { project: { required: true }, summary: { required: true }, labels: {} },
      }),
      list_my_issues: http('Issues that are assigned to me.'),
      add_comment: http('Comment on an issue.'),
    },
  },
  {
    id: 'github',
    name: 'GitHub',
    tools: {
      create_issue: http('Open an issue in a repository.'),
      list_pull_requests: http('Pull requests of a repository.'),
      get_file: http('The content of a file.'),
    },
  },
].map((manifest) => toPackage({ version: '1.0.0', ...manifest } as unknown as Manifest, new Map()));

const sources = { toolModes: await openToolModes(), settings: NO_INSTANCES };
const ALL = packages.flatMap((pack) => toolTexts(pack, sources));

describe('searching tools', () => {
  it.each([
    ['create issue', 'github__create_issue,jira__create_issue,jira__add_comment,jira__list_my_issues'],
    [
      'github issues',
      'github__create_issue,jira__create_issue,jira__list_my_issues,jira__add_comment,github__get_file',
    ],
    ['pull request', 'github__list_pull_requests'],
    ['COMMENT', 'jira__add_comment'],
    ['files', 'github__get_file'],
    ['labels', 'jira__create_issue'],
    ['zebra', ''],
    ['', ALL.map(({ name }) => name).join(',')],
    ['?!', ALL.map(({ name }) => name).join(',')],
  ])('%j', (query, expected) => {
    const found = searchTools(ALL, query).map(({ name }) => name);
    const wanted = expected === '' ? [] : expected.split(',');
    // What matches best comes first; the order of the rest says little.
    expect(found.slice(0, 2)).toEqual(wanted.slice(0, 2));
    if (wanted.length <= 2) expect(found).toEqual(wanted);
  });

  it('shows a tool on one line, with its arguments', () => {
    expect(toolLine(ALL[0]!)).toBe(
      'jira__create_issue(project*, summary*, labels): Create an issue in a project. [changes something: a person approves it]',
    );
  });
});

describe('K-49 names', () => {
  it('are the connector’s and the tool’s, and never longer than models take', () => {
    expect(ALL.map(({ name }) => name)).toContain('jira__list_my_issues');
    const long = { [`${'x'.repeat(60)}_one`]: http('One.'), [`${'x'.repeat(60)}_two`]: http('Two.') };
    const pack = toPackage(
      { id: 'long', name: 'Long', version: '1.0.0', tools: long } as unknown as Manifest,
      new Map(),
    );
    const names = toolTexts(pack, sources).map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^long__x+_[0-9a-f]{8}$/);
    for (const name of names) expect(name.length).toBe(64);
  });
});
