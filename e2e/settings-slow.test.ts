import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import type { Page, Route } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './testing/browser.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { lookAt, openLoggedIn } from './testing/settings-page.ts';

const SLOW = `id: slow
name: Slow service
version: "1.0.0"
description: Answers when it likes.
settings: { base_url: { required: true, label: Address } }
test: { request: { url: "{settings.base_url}/me" }, ok_template: "Signed in as {{name}}" }
host_match: "{settings.base_url}/*"
login_redirect: /login
tools:
  people: { protocol: http, description: Lists people., request: { url: "{settings.base_url}/people" } }
  title: { description: Reads the title., script: return document.title }
`;

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void endings.unshift(end);
let forge: ForgeProcess;
let page: Page;
let origin: string;
/** What the service keeps back, and how often somebody gave up on it. */
let held: ServerResponse[] = [];
let isHolding = false;
let givenUp = 0;

function startService(): Server {
  return createServer((request, response) => {
    if (request.url === '/me' && isHolding) {
      held.push(response);
      response.on('close', () => (givenUp += response.writableEnded ? 0 : 1));
    } else {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(request.url === '/people' ? [{ name: 'Ada' }, { name: 'Bob' }] : { name: 'Ada' }));
    }
  });
}

beforeAll(async () => {
  const service = startService().listen(0, '127.0.0.1');
  atEnd(() => {
    service.closeAllConnections();
    service.close();
  });
  await once(service, 'listening');
  const address = service.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
  await forge.call('POST', '/api/connectors/install-local', { yaml: SLOW });
  ({ page } = await openLoggedIn(await openBrowser(atEnd), forge));
}, 60_000);

afterAll(async () => {
  for (const end of endings) await end();
});

const open = (place: string) => page.goto(`${forge.url}/settings/${place}`);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const strip = () => page.getByRole('region', { name: 'Test' });
const result = () => page.getByRole('region', { name: /^Result of/ });
const steps = async (): Promise<string[]> =>
  (await strip().getByRole('listitem').allTextContents()).map((text) =>
    text
      .replace(/\s+/g, ' ')
      .replace(/[\d.]+ m?s/, '')
      .trim(),
  );

describe('W-20 an error leads to what can be done about it', () => {
  it('a setting that is missing, to the settings; no browser, to the browsers', async () => {
    await open('connectors/slow/tools?tool=slow.people');
    await button('Run').click();
    await result().getByText('setting_missing', { exact: true }).waitFor();
    await lookAt(page, 'error-step');
    await button('Open its settings').click();
    await page.waitForURL('**/settings/connectors/slow');
    await page.getByRole('textbox', { name: 'Address' }).fill(origin);
    await page.keyboard.press('Control+s');
    await page.getByText('Settings saved.').waitFor();
    await open('connectors/slow/tools?tool=slow.title');
    await button('Run').click();
    await button('Open Browsers').click();
    await page.waitForURL('**/settings/browsers');
  });

  it('C-101 a service that is not there, to the settings, with the step that failed', async () => {
    await forge.call('PUT', '/api/connectors/slow/settings', { values: { base_url: 'http://127.0.0.1:9' } });
    await open('connectors/slow/tools');
    await button('Test').click();
    await strip().getByText('Connect failed.').waitFor();
    expect(await steps()).toEqual([
      'Done: Settings',
      'Done: Request',
      'Done: Resolve',
      'Failed: Connect',
      'Answer',
      'Check',
    ]);
    await lookAt(page, 'test-connect');
    await strip().getByRole('button', { name: 'Open its settings' }).click();
    await page.waitForURL('**/settings/connectors/slow');
    await forge.call('PUT', '/api/connectors/slow/settings', { values: { base_url: origin } });
  });
});

describe('C-101 a test', () => {
  it('tells each step, and waits no longer than the person does', async () => {
    await open('connectors/slow');
    isHolding = true;
    await button('Test').click();
    await strip().getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => givenUp).toBe(1);
    await expect.poll(() => button('Test').isEnabled()).toBe(true);
    isHolding = false;
    held = [];
    await button('Test').click();
    await strip().getByText('Signed in as Ada').waitFor();
    expect(await steps()).toEqual(
      ['Settings', 'Request', 'Resolve', 'Connect', 'Answer', 'Check'].map((label) => `Done: ${label}`),
    );
  });

  it.each([
    ['event: step\ndata: {"name":"settings","ok":true,"ms":1}\n\n', 'The test was cut off before it had an answer'],
    ['event: error\ndata: {"error":{"code":"internal","message":"it broke"}}\n\n', 'It broke'],
  ])('is red when its stream ends with %j', async (body, words) => {
    const answer = (route: Route) => route.fulfill({ status: 200, contentType: 'text/event-stream', body });
    await page.route('**/api/connectors/slow/test', answer);
    await button('Test').click();
    await strip().getByText(words).waitFor();
    expect(await strip().evaluate((section) => section.classList.contains('bad'))).toBe(true);
    await page.unroute('**/api/connectors/slow/test', answer);
  });
});

describe('what is on its way', () => {
  it('W-20 has bars in its place once it takes a moment, and not before', async () => {
    const routes: Route[] = [];
    await page.route('**/api/connectors/slow', (route) => void routes.push(route));
    await page.getByRole('link', { name: 'Connectors' }).first().click();
    await page.getByRole('link', { name: 'Slow service' }).click();
    const bars = page.getByRole('status', { name: 'Loading' });
    await bars.waitFor();
    const timings = await bars.evaluate((element) =>
      element.getAnimations().map((animation) => animation.effect?.getTiming()),
    );
    expect(timings).toMatchObject([{ delay: 300, fill: 'both' }]);
    for (const route of routes) await route.continue();
    await page.unroute('**/api/connectors/slow');
    await page.getByRole('heading', { name: 'Slow service' }).waitFor();
    expect(await bars.count()).toBe(0);
  });

  it('W-20 is waited for, however often the page would look again', async () => {
    const other = await page.context().newPage();
    await other.clock.install();
    const routes: Route[] = [];
    await other.route('**/api/browsers', (route) => void routes.push(route));
    await other.goto(`${forge.url}/settings/browsers`);
    // The view looks, and so does what shows on every page that a browser asks to be paired.
    await expect.poll(() => routes.length).toBe(2);
    await other.clock.runFor(20_000);
    expect(routes.length).toBe(2);
    for (const route of routes) await route.continue();
    await other.getByText('No browser is connected.').waitFor();
    await other.clock.runFor(2000);
    await expect.poll(() => routes.length).toBe(3);
    await other.close();
  });
});

it('W-20 a part of the page that cannot be loaded says so', async () => {
  await open('connectors/slow');
  await page.getByRole('heading', { name: 'Slow service' }).waitFor();
  await page.route(/\.js$/, (route) => route.abort());
  await page.getByRole('link', { name: 'README' }).click();
  await page.getByText('This part of the page could not be loaded').waitFor();
  await page.unroute(/\.js$/);
  await button('Load the page again').click();
  await page.getByText('This connector comes without a README.').waitFor();
  await page.getByRole('link', { name: 'Look at its tools' }).click();
  await page.waitForURL('**/settings/connectors/slow/tools');
});

it('C-03 a result is shown as a table, as JSON and as it is', async () => {
  await open('connectors/slow/tools?tool=slow.people');
  await button('Run').click();
  await result().getByRole('cell', { name: 'Bob' }).waitFor();
  await button('Raw').click();
  await result().getByText('[ { "name": "Ada" }, { "name": "Bob" } ]').waitFor();
  expect(await result().getByRole('cell').count()).toBe(0);
});

/** What comes later than the rest of a page moves what is below it. */
function heightSettled(): Promise<void> {
  return page.evaluate(async () => {
    let height = 0;
    for (let same = 0; same < 20;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const now = document.documentElement.scrollHeight;
      same = now === height ? same + 1 : 0;
      height = now;
    }
  });
}

it('W-20 back and reload find the page scrolled where it was', async () => {
  for (const id of ['git', 'jira', 'github', 'jenkins'])
    await forge.call('POST', `/api/connectors/marketplace/${id}/install`);
  await page.setViewportSize({ width: 400, height: 400 });
  await open('connectors');
  const link = page.getByRole('link', { name: 'Slow service' });
  await link.waitFor();
  await heightSettled();
  await link.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const at = await page.evaluate(() => Math.round(window.scrollY));
  expect(at).toBeGreaterThan(100);
  await link.click();
  await page.getByRole('heading', { name: 'Slow service' }).waitFor();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await page.goBack();
  await expect.poll(() => page.evaluate(() => Math.round(window.scrollY))).toBe(at);
  await page.reload();
  await expect.poll(() => page.evaluate(() => Math.round(window.scrollY))).toBe(at);
});
