import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packZip } from '../server/cli/pack-zip.ts';
import { accessibilityProblems } from './testing/accessibility.ts';
import { openBrowser, photograph } from './testing/browser.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void endings.unshift(end);
let browser: Browser;
let forge: ForgeProcess;

const crm = (version = '1.0.0', more = ''): string => `id: crm
name: Acme CRM
version: "${version}"
author: Acme Inc.
description: Customers and deals of your Acme CRM.
host_match: https://crm.acme.test/*
login_redirect: /login
settings: { base_url: { type: string, label: Address }, token: { type: secret, label: Token } }
tools:
  list: { protocol: http, description: Lists customers., request: { method: GET, url: "{settings.base_url}/customers" } }
  dump: { protocol: shell, description: Writes all of them to a file., command: [pg_dump, --clean, crm] }
  read: { protocol: browser, description: Reads the deals., page: { url: "https://crm.acme.test/deals" }, script: "return document.title;" }
${more}`;

const file = (name: string, text: string | Uint8Array) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(text),
});

/** A page that is logged in, and remembers everything that went wrong in it. */
async function openPage(to: ForgeProcess = forge): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => (message.type() === 'error' ? problems.push(message.text()) : undefined));
  await page.goto(to.loginLink);
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
  return { page, problems };
}

async function ids(of: ForgeProcess = forge): Promise<string[]> {
  const { connectors } = (await (await of.call('GET', '/api/connectors')).json()) as { connectors: { id: string }[] };
  return connectors.map(({ id }) => id);
}

/** Drops a file on the page the way a browser tells it. */
async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  await page.evaluate(
    ([fileName, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(content)], fileName));
      for (const type of ['dragenter', 'dragover', 'drop'] as const)
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [name, [...bytes]] as const,
  );
}

beforeAll(async () => {
  forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
  browser = await openBrowser(atEnd);
}, 60_000);

beforeEach(async () => {
  for (const id of await ids()) await forge.call('DELETE', `/api/connectors/${id}?settings=delete`);
});

afterAll(async () => {
  for (const end of endings) await end();
});

describe('installing', () => {
  it('C-118 C-140 by upload: the whole reach is shown first; a no installs nothing, a yes does', async () => {
    const { page, problems } = await openPage();
    const upload = () => page.setInputFiles('input[type=file]', file('crm.yaml', crm()));
    await upload();
    const dialog = page.getByRole('dialog', { name: 'Install Acme CRM?' });
    await dialog.waitFor();
    const text = await dialog.innerText();
    for (const part of ['{settings.base_url}', 'https://crm.acme.test/*', 'pg_dump --clean crm', 'token', 'crm.read'])
      expect(text).toContain(part);
    await dialog.getByText('crm.read').click();
    await dialog.getByText('return document.title;').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-consent');

    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await ids()).not.toContain('crm');
    await upload();
    await dialog.getByRole('button', { name: 'Install' }).click();
    await page.getByRole('status').getByText('Acme CRM is installed.').waitFor();
    await page.getByRole('link', { name: 'Acme CRM' }).waitFor();
    expect(await ids()).toContain('crm');

    // Nothing new to say yes to: no question. Something new: only that is asked, additions first.
    await page.setInputFiles('input[type=file]', file('crm.yaml', crm('1.0.1')));
    await page.getByRole('status').getByText('Acme CRM is now at version 1.0.1.').waitFor();
    await page.setInputFiles('input[type=file]', file('crm.yaml', crm('1.0.2').replace('pg_dump', 'rm')));
    const update = page.getByRole('dialog', { name: 'Update Acme CRM to 1.0.2?' });
    await update.waitFor();
    expect(await update.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^New\s+rm --clean crm$/),
      expect.stringMatching(/^Gone\s+pg_dump --clean crm$/),
    ]);
    await page.keyboard.press('Escape');
    await update.waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });

  it('C-117 C-118 by drag-and-drop of a zip, and a manifest with an error says where it is', async () => {
    const { page } = await openPage();
    const zip = packZip(new Map([['manifest.yaml', Buffer.from(crm())]]));
    await drop(page, 'crm.zip', zip);
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    await page.getByRole('link', { name: 'Acme CRM' }).waitFor();
    expect(await ids()).toContain('crm');

    await drop(page, 'wrong.yaml', Buffer.from(crm().replace('id: crm', 'id: NOT VALID')));
    const dialog = page.getByRole('dialog', { name: 'wrong.yaml was not installed' });
    await dialog.getByText('Line 1', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-invalid');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  });

  it('C-122 W-20 what came with Forge is installed with one click', async () => {
    const { page, problems } = await openPage();
    await page.getByRole('link', { name: /^Marketplace/ }).click();
    await page.getByText('Looks into local Git repositories').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-marketplace');
    await page.getByRole('button', { name: 'Install Git', exact: true }).click();
    await page.getByRole('status').getByText('Git is installed.').waitFor();
    expect(await ids()).toContain('git');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.waitForURL(`${forge.url}/settings/connectors/git`);
    expect(problems).toEqual([]);
  });

  it('C-122 W-20 another registry is asked about, and an update shows what changes', async () => {
    const folder = tempFolder();
    const offer = (version: string, yaml: string): void => {
      mkdirSync(path.join(folder, 'crm'), { recursive: true });
      writeFileSync(path.join(folder, 'crm/manifest.yaml'), yaml);
      const entry = { id: 'crm', name: 'Acme CRM', version, description: 'Customers and deals.' };
      writeFileSync(path.join(folder, 'registry.json'), JSON.stringify({ version: 1, connectors: [entry] }));
    };
    offer('1.0.0', crm());
    const other = await startForgeProcess(path.join(tempFolder(), 'data'), { FORGE_REGISTRY: folder });
    const { page } = await openPage(other);
    await page.getByRole('link', { name: /^Marketplace/ }).click();
    await page.getByRole('button', { name: 'Install Acme CRM' }).click();
    await page.getByRole('dialog', { name: 'Install Acme CRM?' }).getByRole('button', { name: 'Install' }).click();
    await page.getByRole('status').getByText('Acme CRM is installed.').waitFor();

    offer('1.1.0', crm('1.1.0').replace('return document.title;', 'return document.cookie;'));
    await page.getByRole('link', { name: /^Installed/ }).click();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Update available').waitFor();
    await page.getByRole('button', { name: 'Update to 1.1.0' }).click();
    const dialog = page.getByRole('dialog', { name: 'Update Acme CRM to 1.1.0?' });
    await dialog.getByText('crm.read').click();
    await dialog.getByText('− return document.title;').waitFor();
    await dialog.getByText('+ return document.cookie;').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-update');
    await dialog.getByRole('button', { name: 'Update' }).click();
    await page.getByText('Acme CRM is now at version 1.1.0.').waitFor();
  });
});

describe('the list', () => {
  it('C-140 shows every state with its reason, can be searched and switched, and asks about changed files', async () => {
    for (const id of ['git', 'jira', 'github']) await forge.call('POST', `/api/connectors/marketplace/${id}/install`);
    for (const id of ['broken', 'changed'])
      await forge.call('POST', '/api/connectors/install-local', {
        yaml: crm().replace('id: crm', `id: ${id}`).replace('Acme CRM', `The ${id} one`),
      });
    const pathOf = async (id: string): Promise<string> =>
      ((await (await forge.call('GET', `/api/connectors/${id}/manifest`)).json()) as { path: string }).path;
    writeFileSync(await pathOf('broken'), 'id: [');
    writeFileSync(await pathOf('changed'), crm().replace('id: crm', 'id: changed').replace('pg_dump', 'rm'));
    const { page, problems } = await openPage();
    for (const word of ['Ready', 'Needs settings', 'Broken', 'Changed'])
      await page.getByText(word, { exact: true }).first().waitFor();
    await page.getByText('JIRA base URL is required').waitFor();
    await page.getByRole('switch', { name: 'GitHub on' }).click();
    await page.getByText('Off', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-list');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const width of [320, 1600]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      expect(await accessibilityProblems(page)).toEqual([]);
    }

    await page.getByRole('searchbox').fill('jira nothing');
    await page.getByText('No installed connector matches').waitFor();
    await page.getByRole('searchbox').fill('changed');
    await page.getByRole('button', { name: 'Review' }).click();
    const dialog = page.getByRole('dialog', { name: 'Accept the changes of Acme CRM?' });
    await dialog.getByText('rm --clean crm').waitFor();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Changed', { exact: true }).waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });

  it('W-20 can be used without a mouse', async () => {
    for (const id of ['git', 'jira']) await forge.call('POST', `/api/connectors/marketplace/${id}/install`);
    const { page } = await openPage();
    await page.getByRole('link', { name: 'JIRA' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('jira');
    await page.getByRole('link', { name: 'Git' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Git' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Git' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/connectors/jira');
    await page.getByRole('heading', { name: 'JIRA' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/settings/connectors');
    await page.goBack();
    await page.waitForURL('**/settings/connectors/jira');
    await page.reload();
    await page.getByRole('heading', { name: 'JIRA' }).waitFor();

    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Find anything' });
    await palette.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.type('git.log');
    await palette.getByRole('option', { name: 'git.log' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/connectors/git?tool=git.log');
  });

  it('the first visit leads to a working tool on this computer', async () => {
    const { page, problems } = await openPage();
    await page.getByText('No connector is installed yet').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-empty');
    await page.getByRole('button', { name: 'Try the demo' }).click();
    await page.waitForURL('**/settings/connectors/demo-shop/tools?tool=demo-shop.list_orders');
    const answer = await forge.call('POST', '/api/tools/demo-shop.list_orders/call', { args: {} });
    expect(await answer.json()).toMatchObject({ ok: true, result: [{ number: 1046 }, {}, {}, {}, {}] });
    expect(problems).toEqual([]);
  });
});

describe('content that attacks', () => {
  const SCRIPT = `window.hacked = true; fetch('https://evil.test/x')`;
  const HTML = `<img src=x onerror="${SCRIPT}"><script>${SCRIPT}</script>`;
  const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" onload="${SCRIPT}">
    <script>${SCRIPT}</script><image xlink:href="https://evil.test/i.png" width="9" height="9"/><rect width="9" height="9"/></svg>`;
  const README = `# Hello\n\n${HTML}\n\n[click](javascript:window.hacked=true)\n\n<svg onload="${SCRIPT}"></svg>\n\n![x](https://evil.test/r.png)\n`;
  const YAML = `id: hostile
name: ${JSON.stringify(`Evil ${HTML}`)}
version: "1.0.0"
author: ${JSON.stringify(HTML)}
icon: ${JSON.stringify(HTML)}
description: ${JSON.stringify(`Nice. ${HTML} {@html x} {{7*7}}`)}
tools:
  t: { protocol: http, description: ${JSON.stringify(`Reads. ${HTML}`)}, request: { method: GET, url: "https://a.test/" } }
`;

  it('C-117 a hostile name, description, icon and README do nothing, wherever they are shown', async () => {
    const { page, problems } = await openPage();
    const outside: string[] = [];
    // What a policy stops never gets here.
    await page.route(/evil\.test/, (route) => {
      outside.push(route.request().url());
      return route.abort();
    });
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => problems.push('a dialog')));
    const hacked = () => page.evaluate(() => 'hacked' in window);
    const zip = packZip(
      new Map(
        Object.entries({ 'manifest.yaml': YAML, 'icon.svg': SVG, 'README.md': README }).map(
          ([name, text]) => [name, Buffer.from(text)] as const,
        ),
      ),
    );
    await page.setInputFiles('input[type=file]', file('hostile.zip', zip));
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    const card = page.getByRole('link', { name: /^Evil <img/ });
    await card.waitFor();
    await page.getByRole('listitem').locator('img').first().waitFor();
    expect(await hacked()).toBe(false);
    await photograph(page, 'connectors-hostile');
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Evil <img/ }).waitFor();
    await page.keyboard.press('Escape');
    await card.click();
    await page.waitForURL('**/settings/connectors/hostile');
    await page.goto(`${forge.url}/settings/connectors/hostile/readme`);
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    expect(await page.locator('main a[href^="javascript:"], main script, main [onerror], main [onload]').count()).toBe(
      0,
    );
    expect(await hacked()).toBe(false);
    // Even opened as a page of its own, the picture may run nothing.
    await page.goto(`${forge.url}/api/connectors/hostile/icon`);
    expect(await hacked()).toBe(false);
    expect(outside).toEqual([]);
    expect(problems.filter((text) => !/Content Security Policy|sandboxed|net::ERR/.test(text))).toEqual([]);
  });

  it('K-54 the page’s policy allows no inline code and no eval', async () => {
    for (const place of ['/settings/connectors', '/settings/connectors/x/edit', '/activity', '/chat']) {
      const answer = await forge.call('GET', place);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|\*/);
      const html = await answer.text();
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
    }
  });
});
