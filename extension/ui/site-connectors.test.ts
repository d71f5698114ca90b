import { expect, it } from 'vitest';
import { siteConnectors, type SiteConnector } from './site-connectors.ts';

const connector = (id: string, ...host_match: string[]): SiteConnector => ({
  ...{ id, name: id, state: 'ready', reason: '' },
  health: { status: 'working', since: null, message: '' },
  host_match,
});

it('W-20 finds the connectors of a tab by any of their sites, and no pattern spoils the others', () => {
  const all = [
    connector('jira', 'https://dev.acme.test/*', 'https://jira.acme.test:8443/browse/*'),
    connector('wiki', 'https://*.acme.test/*'),
    connector('odd', 'not a pattern', 'https://jira.acme.test:8443/*'),
    connector('other', 'https://acme.example/*'),
  ];
  const at = (url: string) => siteConnectors(all, url).map(({ id }) => id);
  expect(at('https://jira.acme.test:8443/browse/ABC-1')).toEqual(['jira', 'wiki', 'odd']);
  expect(at('https://jira.acme.test/browse/ABC-1')).toEqual(['wiki']);
  expect(at('https://elsewhere.test/')).toEqual([]);
});
