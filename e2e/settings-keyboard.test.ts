import path from 'node:path';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './testing/accessibility.ts';
import { openBrowser, SCREENSHOTS } from './testing/browser.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { installedIds, openLoggedIn } from './testing/settings-page.ts';

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void endings.unshift(end);
let browser: Browser;
let forge: ForgeProcess;
const openPage = () => openLoggedIn(browser, forge);

beforeAll(async () => {
  forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
  browser = await openBrowser(atEnd);
}, 60_000);

beforeEach(async () => {
  for (const id of await installedIds(forge)) await forge.call('DELETE', `/api/connectors/${id}?settings=delete`);
});

afterAll(async () => {
  for (const end of endings) await end();
});

describe('the keyboard', () => {
  it('W-20 can be used without a mouse', async () => {
    for (const id of ['git', 'jira', 'github', 'jenkins'])
      await forge.call('POST', `/api/connectors/marketplace/${id}/install`);
    const { page } = await openPage();
    const focused = () => page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
    const press = (key: string) => page.keyboard.press(key);
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.getByRole('link', { name: 'JIRA' }).waitFor();
    await press('/');
    await page.keyboard.type('jira');
    await page.getByRole('link', { name: 'Git', exact: true }).waitFor({ state: 'hidden' });
    await press('Escape');
    await page.getByRole('link', { name: 'Git', exact: true }).waitFor();
    await press('Escape');
    await press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });

    // Two columns: down moves by rows, right by one, and up from the first row leads back to the search.
    const names = await page.locator('ul[aria-label="Installed connectors"] [data-item]').allInnerTexts();
    await press('/');
    const walked: string[] = [];
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp']) {
      await press(key);
      walked.push(await focused());
    }
    expect(walked).toEqual([names[0], names[1], names[3], names[2], names[0]]);
    await press('ArrowUp');
    expect(await page.getByRole('searchbox').evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('jira');
    await page.getByRole('link', { name: 'Git', exact: true }).waitFor({ state: 'hidden' });
    await press('ArrowDown');
    await press('Enter');
    await page.waitForURL('**/settings/connectors/jira');
    await page.getByRole('heading', { name: 'JIRA' }).waitFor();
    await press('Escape');
    await page.waitForURL('**/settings/connectors');
    await page.goBack();
    await page.waitForURL('**/settings/connectors/jira');
    await page.reload();
    await page.getByRole('heading', { name: 'JIRA' }).waitFor();

    await press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Find anything' });
    await palette.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.type('git.log');
    await palette.getByRole('option', { name: 'git.log' }).waitFor();
    await press('Enter');
    await page.waitForURL('**/settings/connectors/git?tool=git.log');
  });

  it('C-90 C-101 settings are found, filled in, saved and tested by keyboard alone', async () => {
    const { connector } = (await (await forge.call('POST', '/api/demo')).json()) as { connector: string };
    await forge.call('PUT', `/api/connectors/${connector}/settings`, { values: { password: 'wrong' } });
    const { page } = await openPage();
    const press = (key: string) => page.keyboard.press(key);
    /** Goes on with Tab, as a person does, until the focus is there. */
    const tabTo = async (name: string, key = 'Tab'): Promise<void> => {
      const target = page.getByRole('button', { name, exact: true });
      for (let times = 0; times < 60; times += 1) {
        if (await target.evaluate((element) => element === document.activeElement)) return;
        await press(key);
      }
      throw new Error(`Tab does not lead to ${name}`);
    };
    await press('Control+k');
    await page.keyboard.type('demo shop address');
    await page.getByRole('option', { name: 'Address' }).waitFor();
    await press('Enter');
    await page.waitForURL(`**/settings/connectors/${connector}?field=base_url`);
    const address = page.getByRole('textbox', { name: 'Address' });
    await expect.poll(() => address.evaluate((element) => element === document.activeElement)).toBe(true);
    await tabTo('Replace Password');
    await press('Enter');
    await page.keyboard.type('hammer-and-tongs');
    await press('Control+s');
    await page.getByText('Settings saved.').waitFor();
    await tabTo('Test', 'Shift+Tab');
    await press('Enter');
    await page.getByText(/Signed in as .*, \d+ orders are open/).waitFor();
  });

  it('W-20 the palette says when it does not know everything', async () => {
    const { page } = await openPage();
    await page.route('**/api/tools', (route) => route.abort());
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Find anything' }).getByRole('alert').getByText('Not everything').waitFor();
  });

  it('W-20 a narrow window has a bar with the most used pages, and the others behind one button', async () => {
    const { page } = await openPage();
    await page.setViewportSize({ width: 320, height: 640 });
    const bar = page.getByRole('navigation', { name: 'Forge' });
    expect(await bar.getByRole('link').allInnerTexts()).toEqual(['Chat', 'Connectors', 'Activity', 'Watches']);
    const more = bar.getByRole('button', { name: 'More' });
    await more.focus();
    await page.keyboard.press('Enter');
    const hasFocus = (name: string) =>
      expect.poll(() => bar.getByRole('link', { name }).evaluate((link) => link === document.activeElement)).toBe(true);
    await hasFocus('Browsers');
    await page.keyboard.press('ArrowDown');
    await hasFocus('Clients');
    expect(await more.getAttribute('aria-expanded')).toBe('true');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.screenshot({ path: path.join(SCREENSHOTS, 'more-320.png') });
    await page.keyboard.press('Escape');
    await bar.getByRole('link', { name: 'Clients' }).waitFor({ state: 'hidden' });
    expect(await more.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await hasFocus('Browsers');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/browsers');
    await bar.getByRole('link', { name: 'Browsers' }).waitFor({ state: 'hidden' });
    await expect.poll(() => more.getAttribute('aria-current')).toBe('true');
    await more.click();
    await bar.getByRole('button', { name: 'Find anything' }).click();
    await page.getByRole('dialog', { name: 'Find anything' }).waitFor();
  });
});
