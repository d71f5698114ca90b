import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';
import { confirmAlways } from './testing/confirm.ts';
import { EVIL, PDF, startPeopleService, type PeopleService } from './testing/people-service.ts';
import { lookAt } from './testing/settings-page.ts';

const read = (file: string): string => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8');
const JENKINS = read('connectors/jenkins/manifest.yaml');
/** Tools and settings of every kind, under a name and descriptions that carry EVIL. */
const DEMO = read('shared/ui/connector/fixtures/demo.yaml');

let world: BrowserWorld;
let service: PeopleService;
let origin: string;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  service = await startPeopleService();
  ({ origin } = service);
  world = await startBrowserWorld();
  const { forge } = world;
  for (const yaml of [JENKINS, DEMO]) await forge.call('POST', '/api/connectors/install-local', { yaml });
  await forge.call('PUT', '/api/connectors/demo/settings', { values: { base_url: origin } });
  await world.browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: forge.url });
  page = await world.browser.context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  // A connector without an icon, or one that was uninstalled, is a 404 that the page expects; what cannot be saved is a 400, and a question to the person a 428.
  page.on('console', (message) =>
    message.type() === 'error' && !/status of (40[04]|428)/.test(message.text())
      ? problems.push(message.text())
      : undefined,
  );
  confirmAlways(page);
  await page.goto(await forge.newLoginLink());
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
}, 180_000);

afterAll(async () => {
  await world.close();
  service.close();
});

const open = (place: string) => page.goto(`${world.forge.url}/settings/${place}`);
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const look = (name: string) => lookAt(page, name);
const copied = () => page.evaluate(() => navigator.clipboard.readText());

/** What a button hands to the person as a file: its name and its text. */
async function downloadBy(name: string): Promise<[string, string]> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(name).click()]);
  return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
}

describe('C-19 C-90 C-97 the settings of a connector with rows in rows', () => {
  it('C-95 C-96 C-98 is filled in, saved, and comes back with its secrets hidden', async () => {
    await open('connectors/jenkins');
    await button('Add row to Jenkins servers').click();
    await field('Name').fill('prod');
    await button('Save').click();
    await page.getByText('Address is required').waitFor();
    expect(await page.getByLabel('Address').evaluate((field) => field === document.activeElement)).toBe(true);
    const border = await page.getByLabel('Address').evaluate((field) => getComputedStyle(field).borderColor);
    expect(border).toBe('rgb(179, 38, 30)'); // --broken by day
    await look('settings-problems');
    await page.getByLabel('Address').fill(origin);
    await page.getByLabel('User name').fill('ada');
    await page.getByLabel('API token').fill('wrong-token');
    await button('Add row to Auto-inject build params').click();
    await page.getByLabel('Param name').fill('PASSWORD');
    await page.getByLabel('Value').fill('nested-secret');
    await button('Add row to Jenkins servers').click();
    const second = page.locator('form > .fields > .rows > ol > li').nth(1);
    await second.getByRole('textbox', { name: 'Name', exact: true }).fill('dev');
    await second.getByLabel('Address').fill('https://dev.test/\u0000');
    await second.getByLabel('User name').fill('ada');
    await second.getByLabel('API token').fill('dev-token');
    await button('Save').click();
    await second.getByText('Address holds characters that cannot be stored').waitFor();
    expect(await second.getByLabel('Address').evaluate((field) => field === document.activeElement)).toBe(true);
    await second.getByLabel('Address').fill('https://dev.test');
    await button('Save').click();
    await page.getByText('Settings saved.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^prod/ }).click();
    expect(await page.getByLabel('Address').inputValue()).toBe(origin);
    expect(await field('API token').inputValue()).toMatch(/^•+$/);
    await page
      .getByText(/^Saved (just now|.+ ago)\./)
      .first()
      .waitFor();
    expect(await page.content()).not.toMatch(/wrong-token|nested-secret|dev-token/);
    await page.getByRole('button', { name: /^PASSWORD/ }).click();
    await look('settings');
  });

  it('C-101 C-106 tests red, then green once the secret is replaced; Escape keeps the old one', async () => {
    await page.getByText('GET /me/api/json shows whose API token it is.').waitFor();
    await button('Test').click();
    await page.getByText(/HTTP 401 Unauthorized: ada:\[secret\] is wrong/).waitFor();
    await page.getByText('Check the credentials in the settings.').waitFor();
    await look('test-red');
    await page.getByRole('button', { name: 'Replace API token' }).click();
    await page.keyboard.type('never mind');
    await page.keyboard.press('Escape');
    expect(await field('API token').inputValue()).toMatch(/^•+$/);
    expect(await button('Save').isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.type('right');
    await button('Save and test').click();
    await page.getByText('Signed in as Ada Lovelace (ada)').waitFor();
    await look('test-green');
  });

  it('C-90 reorders by keyboard and by pointer, asks before a row with a secret goes, and guards what is unsaved', async () => {
    const order = () => page.locator('form > .fields > .rows > ol > li > .head .title').allTextContents();
    await open('connectors/jenkins/readme');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('button', { name: 'Move prod with the arrow keys' }).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(order).toEqual(['dev', 'prod']);
    const [grip, target] = [page.locator('.grip').nth(1), page.locator('form > .fields > .rows > ol > li').first()];
    const [from, to] = [await grip.boundingBox(), await target.boundingBox()];
    await page.mouse.move(from!.x + 8, from!.y + 8);
    await page.mouse.down();
    await page.mouse.move(to!.x + 8, to!.y + 8, { steps: 4 });
    await page.mouse.up();
    await expect.poll(order).toEqual(['prod', 'dev']);
    await page.getByRole('button', { name: 'Remove dev' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(order).toEqual(['prod']);
    const stay = page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' });
    await page.getByRole('link', { name: 'Tools' }).click();
    await stay.click();
    await page.goBack();
    await stay.click();
    const isClosingStopped = await page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(isClosingStopped).toBe(true);
    await expect.poll(order).toEqual(['prod']);
    await button('Save').click();
    await page.getByText('Settings saved.').waitFor();
    const answer = await world.forge.call('GET', '/api/connectors/jenkins/settings');
    expect(await answer.json()).toMatchObject({ values: { instances: [{ name: 'prod' }] } });
  });
});

it('C-20 C-21 every type of setting has its field, and what is wrong is said beside it', async () => {
  await open('connectors/demo');
  await field('Retries').fill('1.5');
  expect(await page.getByRole('button', { name: /test/i }).count()).toBe(0);
  await field('Extra').fill('{"a":');
  await page.getByLabel('Level').selectOption('high');
  await page.getByLabel('Fast').check();
  await button('Save').click();
  await page.getByText('Retries must be a whole number').waitFor();
  await page.getByText(/Extra is not valid JSON/).waitFor();
  await look('settings-types');
  await field('Retries').fill('3');
  await field('Extra').fill('{"a": [1]}');
  await button('Save').click();
  await page.getByText('Settings saved.').waitFor();
  const answer = await world.forge.call('GET', '/api/connectors/demo/settings');
  expect(await answer.json()).toMatchObject({ values: { retries: 3, level: 'high', fast: true, extra: { a: [1] } } });
});

describe('trying tools out', () => {
  const result = () => page.getByRole('region', { name: /^Result of/ });

  it('C-03 shows rows as a table, follows only real links, and tells what was sent', async () => {
    await open('connectors/demo?tool=demo.people');
    await field('limit').fill('x');
    await button('Run').click();
    await page.getByText('limit must be a number').waitFor();
    await field('limit').fill('2');
    await page.keyboard.press('Enter');
    await result().getByRole('cell', { name: 'Bob' }).waitFor();
    expect(await result().getByRole('link').allTextContents()).toEqual(['https://a.test/ada']);
    await page.getByText('Trace', { exact: true }).click();
    await result().getByText(`${origin}/people?limit=2`).waitFor();
    await look('try-table');
    await button('JSON').click();
    await result().getByText('Ada', { exact: true }).waitFor();
    const [file, text] = await downloadBy('Save as fixture');
    expect([file, JSON.parse(text)]).toMatchObject([
      'people.json',
      {
        args: { limit: 2 },
        settings: { base_url: '{origin}', retries: 3 },
        expect: { method: 'GET', path: '/people?limit=2' },
        response: { status: 200, headers: { 'content-type': 'application/json' }, body: [{ name: 'Ada' }, {}] },
        result: [{ name: 'Ada' }, { name: 'Bob' }],
      },
    ]);
    await button('Dry run').click();
    await result().getByText('Dry run: nothing was sent').waitFor();
    await look('try-dry-run');
  });

  it('copies a call for a terminal and for an MCP client, without a token, and hands over a file', async () => {
    await button('Copy request as curl').click();
    await page.getByText('Copied as curl, with $TOKEN').waitFor();
    expect(await copied()).toContain(`curl -X GET '${origin}/people?limit=2'`);
    await button('Copy as MCP call').click();
    await page.getByText('Copied as an MCP call.').waitFor();
    const params = { name: 'demo__people', arguments: { limit: 2 } };
    expect(JSON.parse(await copied())).toMatchObject({ method: 'tools/call', params });
    await button('Copy as curl').click();
    await page.getByText('Copied as curl.').waitFor();
    const curl = await copied();
    expect(curl).toContain(`${world.forge.url}/api/tools/demo.people/call`);
    expect([curl.includes('$TOKEN'), curl.includes(world.forge.token)]).toEqual([true, false]);

    await open('connectors/demo/tools?tool=demo.report');
    await button('Run').click();
    expect(await downloadBy('Download report.pdf')).toEqual(['report.pdf', PDF]);
    expect(await button('Save as fixture').count()).toBe(0);
    await look('try-file');
  });

  it('pages through what is too large, and searches all of it', async () => {
    await open('connectors/demo/tools?tool=demo.many');
    await button('Run').click();
    await result().getByText('1–50 of 1000').waitFor();
    await button('Next').click();
    await result().getByText('51–100 of 1000').waitFor();
    await page.getByLabel('Search the whole result').fill('row number 777');
    await page.keyboard.press('Enter');
    await result().getByText('1–1 of 1').waitFor();
    await look('try-pages');
  });

  it('C-37 K-10 asks before it changes something, and no stray Enter says yes', async () => {
    await open('connectors/demo/tools?tool=demo.rename');
    await field('name').fill('Cleo');
    await page.keyboard.press('Enter');
    const card = page.getByRole('group', { name: 'Approval' });
    await card.getByText('Cleo').waitFor();
    const approve = card.getByRole('button', { name: 'Approve' });
    for (let times = 0; times < 5; times += 1) await page.keyboard.press('Enter');
    await expect.poll(() => approve.isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
    await look('try-approval');
    expect(service.renamed).toEqual([]);
    await approve.click();
    await result().getByText('Done', { exact: true }).first().waitFor();
    expect(service.renamed).toEqual(['{"name":"Cleo"}']);
  });

  it('C-04 shows what a program prints while it runs, and stops it', async () => {
    await open('connectors/demo/tools?tool=demo.say');
    await field('text').fill(EVIL);
    await page.keyboard.press('Control+Enter');
    await result().getByText(EVIL).waitFor();
    await open('connectors/demo/tools?tool=demo.wait');
    await button('Run').click();
    await result().getByText('begun').waitFor();
    await button('Cancel').click();
    await result().getByText('You stopped it.').waitFor();
  });

  it('C-02 runs a tool in the person’s own browser', async () => {
    await open('connectors/demo/tools?tool=demo.title');
    await button('Run').click();
    await result().getByText('A heading').waitFor();
  });

  it('C-140 a site that wants a login is said so on the card, until a call gets through again', async () => {
    service.isLoggedOut = true;
    await button('Run').click();
    await result().getByText('login_required', { exact: true }).waitFor();
    await look('try-login');
    await open('connectors');
    const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^Demo/ }) });
    await card.getByText('Login needed').waitFor();
    await card.getByText('Nobody was logged in at the last call').waitFor();
    await look('list-login');
    service.isLoggedOut = false;
    expect(await world.call('demo.title')).toMatchObject({ ok: true });
    await button('Refresh').click();
    await card.getByText('Ready', { exact: true }).waitFor();
  });
});

it('the first visit goes on in the person’s own browser: the demo asks for a login, and after it reads the page', async () => {
  const { connector } = (await (await world.forge.call('POST', '/api/demo')).json()) as { connector: string };
  await open(`connectors/${connector}/tools?tool=${connector}.read_orders_page`);
  const result = page.getByRole('region', { name: /^Result of/ });
  await button('Run').click();
  await result.getByText('login_required', { exact: true }).waitFor();
  await button('Open the tab').click();
  const shop = world.browser.context.pages().find((tab) => tab.url().endsWith('/login'));
  await expect.poll(() => shop?.evaluate(() => document.visibilityState)).toBe('visible');
  await shop?.getByLabel('User').fill('demo');
  await shop?.getByLabel('Password').fill('hammer-and-tongs');
  await shop?.getByRole('button').click();
  await shop?.waitForURL('**/orders');
  await button('Run').click();
  await result.getByRole('cell', { name: '1046' }).waitFor();
});

it('C-140 a manifest, a result and a README that carry scripts do nothing, and the page’s policy is never broken', async () => {
  const { path: file } = (await (await world.forge.call('GET', '/api/connectors/demo/manifest')).json()) as {
    path: string;
  };
  const links = '[bad](javascript:alert(1)) [good](https://a.test) <a href="data:text/html,x" onclick="x()">z</a>';
  writeFileSync(
    path.join(path.dirname(file), 'README.md'),
    `# Hello\n\n${EVIL}\n\n${links}\n<style>*{display:none}</style>`,
  );
  await open('connectors/demo/readme');
  const article = page.locator('article');
  await article.getByRole('heading', { name: 'Hello' }).waitFor();
  expect(await article.locator('img, script, style, [onclick], [onerror]').count()).toBe(0);
  const addresses = await article.locator('a[href]').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(addresses).toEqual(['https://a.test']);
  await look('readme');
  expect(await page.evaluate(() => (window as { hacked?: string }).hacked)).toBeUndefined();
  expect(problems).toEqual([]);
});
