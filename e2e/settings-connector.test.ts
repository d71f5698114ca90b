import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './testing/accessibility.ts';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';

const SCREENSHOTS = path.resolve(import.meta.dirname, 'screenshots');
const read = (file: string): string => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8');
const JENKINS = read('connectors/jenkins/manifest.yaml');
/** Tools and settings of every kind, under a name and descriptions that carry EVIL. */
const DEMO = read('shared/ui/connector/fixtures/demo.yaml');
const EVIL = `<img src=x onerror="window.hacked='img'"><script>window.hacked='script'</script>`;

let world: BrowserWorld;
let service: Server;
let origin: string;
let page: Page;
const problems: string[] = [];
const renamed: string[] = [];

/** A service that wants the right token, and has people, a long list and a page. */
function startService(): Server {
  const json = (rows: unknown) => ['application/json', JSON.stringify(rows)] as const;
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://service');
    const who = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString();
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (pathname === '/me/api/json' && who !== 'ada:right') {
        response.writeHead(401).end(`${who} is wrong`);
        return;
      }
      if (pathname === '/rename') renamed.push(body);
      const people = [{ name: 'Ada', link: 'https://a.test/ada', note: EVIL }];
      const many = Array.from({ length: 1000 }, (_, index) => ({ id: index, text: `row number ${index}` }));
      const answers: Record<string, readonly [string, string]> = {
        '/me/api/json': json({ id: 'ada', fullName: 'Ada Lovelace' }),
        '/people': json([...people, { name: 'Bob', link: 'javascript:alert(1)', note: '' }]),
        '/many': json(many),
        '/rename': json({ ok: true }),
      };
      const [type, text] = answers[pathname] ?? ['text/html', '<!doctype html><title>p</title><h1>A heading</h1>'];
      response.writeHead(200, { 'Content-Type': type }).end(text);
    });
  });
}

beforeAll(async () => {
  service = startService().listen(0, '127.0.0.1');
  await once(service, 'listening');
  const address = service.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  world = await startBrowserWorld();
  const { forge } = world;
  for (const yaml of [JENKINS, DEMO]) await forge.call('POST', '/api/connectors/install-local', { yaml });
  await forge.call('PUT', '/api/connectors/demo/settings', { values: { base_url: origin } });
  page = await world.browser.context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => problems.push(error.message));
  // A connector without an icon, or one that was uninstalled, is a 404 that the page expects; what cannot be saved is a 400.
  page.on('console', (message) =>
    message.type() === 'error' && !/status of 40[04]/.test(message.text()) ? problems.push(message.text()) : undefined,
  );
  await page.goto(forge.loginLink);
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
}, 180_000);

afterAll(async () => {
  await world.close();
  service.closeAllConnections();
  service.close();
});

const open = (place: string) => page.goto(`${world.forge.url}/settings/${place}`);
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Looks at a view as people do: by keyboard and screen reader, narrow and wide, by day and by night. */
async function look(name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [1600, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const fits = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
      const file = path.join(SCREENSHOTS, `connector-${name}-${colorScheme}-${width}.png`);
      await page.screenshot({ path: file, fullPage: true });
      expect([name, width, fits]).toEqual([name, width, true]);
      // Both schemes and both widths are looked at by axe once.
      if ((colorScheme === 'light') !== (width === 1600)) continue;
      expect([name, colorScheme, width, await accessibilityProblems(page)]).toEqual([name, colorScheme, width, []]);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
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
    await page.getByText('Saved just now.').first().waitFor();
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
    await button('Dry run').click();
    await result().getByText('Dry run: nothing was sent').waitFor();
    await look('try-dry-run');
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
    expect(renamed).toEqual([]);
    await approve.click();
    await result().getByText('Done', { exact: true }).first().waitFor();
    expect(renamed).toEqual(['{"name":"Cleo"}']);
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
});

describe('C-120 editing a manifest', () => {
  const content = () => page.locator('[data-code] .cm-content');

  it('marks a mistake, mends it, saves under the next version, and the next call uses it', async () => {
    await open('connectors/demo/edit');
    await page.getByText('No problems').waitFor();
    await content().getByText('Says something.').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('comand: [printf, "?/%s"]');
    await page.getByText(/Unknown key comand in tools\.say, did you mean command/).waitFor();
    await page.locator('[data-code] .cm-lintRange-warning').first().waitFor();
    await look('edit-problem');
    await button('Change to command').click();
    await page.getByText('Fix the errors to save.').waitFor();
    expect(await button('Save').isDisabled()).toBe(true);
    await page.locator('[data-code] .cm-line', { hasText: '?/%s' }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type('ok_exit_codes: [0, 7]');
    await page.getByText('No problems').waitFor();
    await button('Show changes').click();
    await page.getByRole('textbox', { name: 'Changes against the installed manifest' }).waitFor();
    await look('edit-changes');
    await button('Edit').click();
    await button('Save').click();
    await page.getByText('Saved as version 0.1.1.').waitFor();
    expect(await world.call('demo.say', { text: 'hello' })).toMatchObject({ ok: true, result: 'hello' });
    const answer = await world.forge.call('GET', '/api/connectors/demo/manifest');
    expect(((await answer.json()) as { yaml: string }).yaml).toContain('ok_exit_codes: [0, 7]');
  });

  it('C-119 starts a new one from a template, by keyboard alone', async () => {
    await open('connectors/+new');
    await field('Name').focus();
    await page.keyboard.type('Team wiki');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await look('new');
    await page.getByRole('radio', { name: /Local program/ }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/connectors/team-wiki/edit');
    await page.getByText('No problems').waitFor();
    expect(await world.call('team-wiki.list_files', { folder: '/' })).toMatchObject({ ok: true });
    await button('Uninstall').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click();
    await page.waitForURL('**/settings/connectors');
    expect((await world.forge.call('GET', '/api/connectors/team-wiki')).status).toBe(404);
  });
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
