import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pairBrowser, startBrowserWorld, type BrowserWorld, type ToolAnswer } from './testing/browser-world.ts';
import { startExtensionBrowser, type ExtensionBrowser } from './testing/extension-browser.ts';

const DEMO = `
id: demo
name: Demo
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/*"
login_redirect: /login.jsp
tools:
  whose:
    page: { url: "{base_url}/plain", on_target: /plain }
    script: return localStorage.getItem('whose')
`;

let world: BrowserWorld;
let second: ExtensionBrowser;

beforeAll(async () => {
  world = await startBrowserWorld();
  await world.install('demo', DEMO);
  second = await startExtensionBrowser();
  await pairBrowser(world.forge, second);
}, 120_000);

afterAll(async () => {
  await second.close();
  await world.close();
});

const result = ({ error, result: value }: ToolAnswer): unknown => error ?? value;

/** A tab of the person's in one of the browsers; each browser has a storage of its own. */
async function openSite(browser: ExtensionBrowser, place: string, whose: string): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(`${world.site.origin}${place}`);
  await page.evaluate((name) => localStorage.setItem('whose', name), whose);
  return page;
}

it('K-55 of two browsers a call goes to the one that has the site open, and is logged in there', async () => {
  const first = await openSite(world.browser, '/plain', 'first');
  expect(result(await world.call('demo.whose'))).toBe('first');
  await first.goto(`${world.site.origin}/login.jsp`);
  const other = await openSite(second, '/plain', 'second');
  expect(result(await world.call('demo.whose'))).toBe('second');
  await first.goto(`${world.site.origin}/plain`);
  await other.close();
  const open = async () =>
    (await second.worker()).evaluate<unknown[]>(`chrome.tabs.query({ url: 'http://127.0.0.1/*' })`);
  await expect.poll(open).toEqual([]);
  expect(result(await world.call('demo.whose'))).toBe('first');
});
