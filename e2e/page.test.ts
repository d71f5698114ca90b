import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessibilityProblems } from './testing/accessibility.ts';
import { openBrowser, photograph } from './testing/browser.ts';
import { startForgeProcess, tempFolder } from './testing/forge-process.ts';

const BROKEN = 'id: [';
const LONG = `id: long
name: ${'A very long name that goes on and on '.repeat(4).trim()}
version: "0.1.0"
description: Long content must wrap and never push the page sideways.
settings: { base_url: { type: string, required: true, label: ${'Address'.repeat(30)} } }
tools: { t: { protocol: shell, description: d, command: [ls] } }
`;

describe('the page', () => {
  it('K-30 the login link logs in, leaves no token behind, and survives a reload', async () => {
    const forge = await startForgeProcess(path.join(tempFolder(), 'data'));
    const browser = await openBrowser();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => (message.type() === 'error' ? problems.push(message.text()) : undefined));

    await page.goto(await forge.newLoginLink());
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    expect(page.url()).toBe(`${forge.url}/settings/connectors`);
    expect(await page.content()).not.toContain(forge.token);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    await page.reload();
    await page.getByText('No connector is installed yet').waitFor();
    await photograph(page, 'home-empty');
    expect(problems).toEqual([]);
  });

  it('shows connectors in every state, and nothing sticks out sideways', async () => {
    const forge = await startForgeProcess(path.join(tempFolder(), 'data'));
    for (const id of ['git', 'jira', 'github']) await forge.call('POST', `/api/connectors/marketplace/${id}/install`);
    await forge.call('PATCH', '/api/connectors/github', { enabled: false });
    await forge.call('POST', '/api/connectors/install-local', { yaml: LONG });
    await forge.call('POST', '/api/connectors/install-local', { yaml: LONG.replace('id: long', 'id: broken') });
    const { path: file } = (await (await forge.call('GET', '/api/connectors/broken/manifest')).json()) as {
      path: string;
    };
    (await import('node:fs')).writeFileSync(file, BROKEN);

    const page = await (await openBrowser()).newPage();
    await page.goto(await forge.newLoginLink());
    for (const word of ['Untested', 'Needs settings', 'Off', 'Broken'])
      await page.getByText(word, { exact: true }).first().waitFor();
    await photograph(page, 'home');
    for (const width of [1440, 720, 360]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    }
  });

  it('asks for the token when there is none, tells about a wrong one, and takes the right one by keyboard', async () => {
    const forge = await startForgeProcess(path.join(tempFolder(), 'data'));
    const page = await (await openBrowser()).newPage();
    await page.goto(forge.url);
    await page.getByRole('heading', { name: 'Log in to Forge' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.type('not the token');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await photograph(page, 'login-wrong');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, await accessibilityProblems(page)]).toEqual([colorScheme, []]);
    }
    await page.keyboard.type(forge.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to Forge' }).waitFor();
  });

  it('K-54 a page of another local server can neither read nor change anything with the person’s cookie', async () => {
    const forge = await startForgeProcess(path.join(tempFolder(), 'data'));
    const other = await startForgeProcess(path.join(tempFolder(), 'data'));
    const page = await (await openBrowser()).newPage();
    await page.goto(await forge.newLoginLink());
    await page.getByRole('heading', { name: 'Connectors' }).waitFor();
    await page.goto(other.url);
    const outcome = await page.evaluate(async (target) => {
      const tries: string[] = [];
      for (const init of [{}, { mode: 'no-cors' as const }, { method: 'POST', mode: 'no-cors' as const, body: '{}' }]) {
        try {
          const answer = await fetch(`${target}/api/connectors`, { credentials: 'include', ...init });
          tries.push(`${answer.type} ${answer.status} ${(await answer.text()).length}`);
        } catch {
          tries.push('failed');
        }
      }
      return tries;
    }, forge.url);
    // The page's own policy stops the request before it leaves; the server's checks are proven for every route elsewhere.
    expect(outcome).toEqual(['failed', 'failed', 'failed']);
  });
});
