import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';

interface Line {
  depth: number;
  tag: string;
  selector: string;
  text?: string;
  more?: number;
}
interface Outline {
  nodes: Line[];
  truncated: boolean;
  left_out: { alike: number; hidden: number; beyond_limit: number };
}

const PAGES = path.resolve(import.meta.dirname, 'fixtures/pages');
const PAGE = /^\/(tracker|wiki|built)\.html$/;
const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  const name = PAGE.exec(request.url ?? '')?.[0];
  if (name === undefined) response.writeHead(404).end();
  else response.end(readFileSync(path.join(PAGES, name)));
});
let world: BrowserWorld;
let origin = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = await startBrowserWorld();
}, 120_000);

afterAll(async () => {
  await world.close();
  server.closeAllConnections();
  server.close();
});

async function inspect<T>(where: object, action: object): Promise<T> {
  const answer = await world.forge.call('POST', '/api/browsers/inspect', { ...where, action });
  const body = (await answer.json()) as { value: T };
  expect(answer.status, JSON.stringify(body)).toBe(200);
  return body.value;
}
const outline = (page: string, max_nodes = 1000) =>
  inspect<Outline>({ url: `${origin}/${page}` }, { kind: 'outline', max_nodes });
const selectors = ({ nodes }: Outline) => nodes.map(({ selector }) => selector);

describe('C-121 the outline of real pages', () => {
  it('keeps every part of an issue tracker, and folds only the rows of its list', async () => {
    const seen = await outline('tracker.html');
    expect(selectors(seen)).toEqual(
      expect.arrayContaining([
        '#top-menu',
        '#header',
        '#sidebar',
        '#content',
        '#filters',
        'table.list.issues',
        '#footer',
      ]),
    );
    // All 25 rows are accounted for, few of them one by one; the other row is the table's head.
    const rows = seen.nodes.filter(({ tag }) => tag === 'tr');
    expect(rows.length).toBeLessThan(10);
    expect(rows.reduce((sum, { more = 0 }) => sum + more, rows.length)).toBe(26);
    expect(seen.nodes.some(({ text }) => text?.startsWith('Subject number') === true)).toBe(true);
    expect(seen.nodes.some(({ text }) => text === 'Clear')).toBe(true);
    expect(seen).toMatchObject({ truncated: false, left_out: { beyond_limit: 0 } });
    expect(seen.left_out.alike).toBeGreaterThan(100);
    expect(seen.left_out.hidden).toBe(4);
  });

  it('keeps every part of a wiki article, also where parts of a layout share one class', async () => {
    const seen = await outline('wiki.html');
    expect(selectors(seen)).toEqual(
      expect.arrayContaining(['#searchform', '#mw-panel-toc-list', '#firstHeading', 'table.infobox.vcard', '#History']),
    );
    for (const part of ['ul.gallery', 'table.wikitable.sortable', '#feedback', 'textarea[name="remark"]'])
      expect(selectors(seen)).toContain(part);
  });

  it.each(['tracker.html', 'wiki.html', 'built.html'])(
    'names in %s only what finds one element, by what lasts',
    async (page) => {
      const { nodes } = await outline(page);
      for (const { selector } of nodes) {
        const { count } = await inspect<{ count: number }>(
          { host_match: `${origin}/*` },
          { kind: 'selector', selector },
        );
        expect([selector, count]).toEqual([selector, 1]);
        expect(selector).not.toMatch(/:r\d|css-|sc-abc|_3fWq|hKfQzP|1awozwy|x1n2|a3f9|4[67]\d\d/);
      }
    },
  );

  it('says how much is beyond the limit', async () => {
    const all = await outline('wiki.html');
    const some = await outline('wiki.html', 10);
    expect([some.nodes.length, some.truncated]).toEqual([10, true]);
    expect(some.left_out.beyond_limit).toBeGreaterThan(all.nodes.length - 20);
  });

  it.each(['tracker.html', 'wiki.html'])('leaves out the depth of %s first, and no part of it', async (page) => {
    const upper = (await outline(page)).nodes.filter(({ depth }) => depth <= 2);
    const { nodes } = await outline(page, upper.length);
    expect(nodes).toEqual(upper);
  });
});
