import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page, Route } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './testing/browser.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { crm, openLoggedIn } from './testing/settings-page.ts';

const read = (file: string): string => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8');
const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void endings.unshift(end);
let forge: ForgeProcess;
let page: Page;

beforeAll(async () => {
  forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
  for (const yaml of [read('shared/ui/connector/fixtures/demo.yaml'), read('connectors/jenkins/manifest.yaml'), crm()])
    await forge.call('POST', '/api/connectors/install-local', { yaml });
  await forge.call('PUT', '/api/connectors/demo/settings', { values: { base_url: 'http://127.0.0.1:9' } });
  ({ page } = await openLoggedIn(await openBrowser(atEnd), forge));
}, 60_000);

afterAll(async () => {
  for (const end of endings) await end();
});

const open = (place: string) => page.goto(`${forge.url}/settings/${place}`);
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const saved = async (id: string): Promise<unknown> =>
  ((await (await forge.call('GET', `/api/connectors/${id}/settings`)).json()) as { values: unknown }).values;

interface Held {
  /** How many came, the one that is held included. */
  count(): number;
  arrived: Promise<void>;
  release(): Promise<void>;
}

/** Keeps what is to be saved on its way until it is let go; what only asks for a confirmation saves nothing. */
async function holdPut(url: string): Promise<Held> {
  let held: Route | null = null;
  let count = 0;
  let tell = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (tell = resolve));
  await page.route(url, async (route) => {
    const request = route.request();
    const isPut = request.method() === 'PUT' && 'x-forge-confirmation' in request.headers();
    if (isPut) count += 1;
    if (!isPut || held !== null) {
      await route.continue();
      return;
    }
    held = route;
    tell();
  });
  return {
    count: () => count,
    arrived,
    async release() {
      await held?.continue();
    },
  };
}

describe('C-90 what is typed and not saved', () => {
  it('survives the switch and Refresh', async () => {
    await open('connectors/demo');
    await field('Retries').fill('7');
    const power = page.getByRole('switch');
    await power.click();
    await page.getByText('Off', { exact: true }).waitFor();
    expect(await field('Retries').inputValue()).toBe('7');
    const again = page.waitForResponse((answer) => answer.url().endsWith('/api/connectors/demo/settings'));
    await button('Refresh').click();
    await page.getByText('Read again from disk.').waitFor();
    await (await again).finished();
    await power.click();
    await page.getByText('Off', { exact: true }).waitFor({ state: 'hidden' });
    expect(await field('Retries').inputValue()).toBe('7');
    await page.getByText('Unsaved changes').waitFor();
  });

  it('survives the save of what was typed before it, which is sent once', async () => {
    const put = await holdPut('**/api/connectors/demo/settings');
    await page.keyboard.press('Control+s');
    await put.arrived;
    await page.keyboard.press('Control+s');
    await field('Extra').fill('{"later": true}');
    await put.release();
    await page.getByText('Settings saved.').waitFor();
    expect(await field('Extra').inputValue()).toBe('{"later": true}');
    expect(await saved('demo')).toMatchObject({ retries: 7, extra: null });
    expect(put.count()).toBe(1);
    await button('Save').click();
    await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
    expect(await saved('demo')).toMatchObject({ retries: 7, extra: { later: true } });
    await page.unroute('**/api/connectors/demo/settings');
  });

  it('is not written over what somebody else has saved in the same field', async () => {
    await field('Retries').fill('8');
    await forge.call('PUT', '/api/connectors/demo/settings', { values: { retries: 5 } });
    const again = page.waitForResponse((answer) => answer.url().endsWith('/api/connectors/demo/settings'));
    await button('Refresh').click();
    await (await again).finished();
    await button('Save').click();
    await button('Discard mine and load').click();
    await expect.poll(() => field('Retries').inputValue()).toBe('5');
  });
});

it('C-120 what is typed while a manifest is saved stays, with the cursor where it was', async () => {
  await open('connectors/demo/edit');
  await page.getByText('No problems').waitFor();
  const content = page.locator('[data-code] .cm-content');
  await content.getByText('Says something.').click();
  await page.keyboard.press('End');
  await page.keyboard.type(' # one');
  const put = await holdPut('**/api/connectors/demo/manifest');
  await page.keyboard.press('Control+s');
  await put.arrived;
  await page.keyboard.type(' two');
  await put.release();
  await page.getByText('Saved as version 0.1.1.').waitFor();
  await page.keyboard.type(' three');
  await content.getByText('Says something. # one two three').waitFor();
  await content.getByText('version: "0.1.1"').waitFor();
  await page.getByText('No problems').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved as version 0.1.2.').waitFor();
  const answer = await forge.call('GET', '/api/connectors/demo/manifest');
  expect(((await answer.json()) as { yaml: string }).yaml).toContain('Says something. # one two three');
});

it('W-20 a connector that cannot be read is not shown as the one before it', async () => {
  await open('connectors/demo');
  await page.getByRole('heading', { name: /^Demo/ }).waitFor();
  await page.route('**/api/connectors/crm', (route) => route.abort());
  await page.keyboard.press('Control+k');
  await page.keyboard.type('crm.list');
  await page.getByRole('option', { name: 'crm.list' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/settings/connectors/crm?tool=crm.list');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('heading', { name: /^Demo/ }).count()).toBe(0);
  await page.unroute('**/api/connectors/crm');
  await button('Try again').click();
  await page.getByRole('heading', { name: 'Acme CRM' }).waitFor();
  expect(await page.title()).toBe('Acme CRM – Forge');
});

it('C-90 after a row with a secret is gone, the keyboard goes on at its list', async () => {
  await open('connectors/jenkins');
  const add = button('Add row to Jenkins servers');
  await add.click();
  await field('Name').fill('prod');
  await page.getByLabel('API token').fill('a-token');
  await button('Remove prod').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => add.evaluate((element) => element === document.activeElement)).toBe(true);
});
