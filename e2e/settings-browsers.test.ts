import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeExtension, type FakeOptions } from '../server/bridge/testing/fake-extension.ts';
import { openBrowser } from './testing/browser.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { lookAt, openLoggedIn } from './testing/settings-page.ts';

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void endings.unshift(end);
let forge: ForgeProcess;
let page: Page;
let problems: string[];

beforeAll(async () => {
  forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
  ({ page, problems } = await openLoggedIn(await openBrowser(atEnd), forge));
}, 120_000);

afterAll(async () => {
  for (const end of endings) await end();
});

const open = (place: string) => page.goto(forge.url + place);
const button = (name: string) => page.getByRole('button', { name, exact: true });

/** A browser that asks to be paired, and the code it shows. */
async function asking(hello: NonNullable<FakeOptions['hello']>): Promise<{ extension: FakeExtension; code: string }> {
  const extension = await FakeExtension.connect(forge.url, { hello });
  atEnd(() => void extension.cut());
  const answer = await extension.greet();
  return { extension, code: answer.state === 'pairing' ? answer.code : 'no code' };
}

it('K-20 K-55 Browsers leads a newcomer, then shows each browser, what it lacks and another name', async () => {
  await open('/settings/browsers');
  await page.getByRole('heading', { name: '1. Load the extension' }).waitFor();
  await lookAt(page, 'browsers-guide');
  await button('Firefox').click();
  await page.getByText('about:debugging').first().waitFor();
  await lookAt(page, 'browsers-guide-firefox');
  const { extension, code } = await asking({ profile: 'Work', user_scripts: false });
  await page.getByRole('list', { name: 'Browsers' }).getByText(code).waitFor();
  await lookAt(page, 'browsers-asking');
  await button('Accept').click();
  await extension.paired();
  await page.getByText('User scripts are off').waitFor();
  await page.getByText(/chrome:\/\/extensions\/\?id=[a-p]{32}/).waitFor();
  await page.getByRole('button', { name: /^Rename/ }).click();
  await page.getByLabel('Name of this browser').fill('Laptop');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Laptop' }).waitFor();
  await lookAt(page, 'browsers');
  await button('Revoke Laptop').click();
  await page.getByRole('dialog', { name: 'Revoke Laptop?' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('heading', { name: '1. Load the extension' }).waitFor();
});

it('C-142 K-54 a browser that asks shows its code on every page while it is there, and is accepted there, with chat', async () => {
  const asks = page.getByRole('region', { name: 'Browsers that ask to connect' });
  await open('/chat');
  const gone = await asking({ profile: 'Home' });
  await asks.getByText(gone.code).waitFor();
  await expect.poll(() => page.title()).toBe('(1) Chat – Forge');
  await lookAt(page, 'pairing-chat');
  await gone.extension.cut();
  await asks.waitFor({ state: 'detached' });

  const { extension, code } = await asking({ profile: 'Home' });
  for (const place of ['/chat', '/settings/connectors', '/settings/models', '/watches', '/activity']) {
    await open(place);
    await asks.getByText(code).waitFor();
  }
  await lookAt(page, 'pairing-activity');
  // The list of browsers shows it already.
  await open('/settings/browsers');
  await page.getByRole('list', { name: 'Browsers' }).getByText(code).waitFor();
  expect(await asks.count()).toBe(0);

  await open('/activity');
  await asks.getByRole('checkbox', { name: 'Let this browser also use chat and settings in its side panel' }).focus();
  for (const key of ['Space', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
  await extension.paired();
  await asks.waitFor({ state: 'detached' });
  const { browsers } = (await (await forge.call('GET', '/api/browsers')).json()) as { browsers: unknown[] };
  expect(browsers).toMatchObject([{ may_manage: true }]);
  expect(problems).toEqual([]);
});
