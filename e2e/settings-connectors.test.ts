import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Locator, Route } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packZip } from '../server/cli/pack-zip.ts';
import { accessibilityProblems } from './testing/accessibility.ts';
import { openBrowser, photograph } from './testing/browser.ts';
import { confirmationFrame, confirmOnce } from './testing/confirm.ts';
import { crm, drop, file, installedIds, openLoggedIn } from './testing/settings-page.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void endings.unshift(end);
let browser: Browser;
let forge: ForgeProcess;
const openPage = (to: ForgeProcess = forge) => openLoggedIn(browser, to);
const openAsking = () => openLoggedIn(browser, forge, () => undefined);
const linesOf = async (of: Locator): Promise<string[]> =>
  (await of.allInnerTexts()).map((line) => line.replace(/\s+/g, ' ').trim());
const ids = (of: ForgeProcess = forge) => installedIds(of);

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
    expect(await linesOf(update.getByRole('listitem'))).toEqual([
      'New rm --clean crm',
      'Gone pg_dump --clean crm',
      'Command Changed pg_dump --clean crm → rm --clean crm',
    ]);
    expect(await linesOf(update.locator('summary'))).toEqual(['crm.dump changed']);
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

  it('C-118 shows how much of a large file was sent, and stops when told to', async () => {
    const { page } = await openPage();
    const line = await page.context().newCDPSession(page);
    await line.send('Network.enable');
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 50_000 };
    await line.send('Network.emulateNetworkConditions', conditions);
    await page.setInputFiles('input[type=file]', file('large.zip', new Uint8Array(1_000_000)));
    const sent = page.getByRole('progressbar', { name: 'Sent' });
    await expect
      .poll(() => sent.evaluate((bar: HTMLProgressElement) => bar.position > 0 && bar.position < 1))
      .toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await sent.waitFor({ state: 'hidden' });
    expect([await page.getByRole('dialog').count(), await ids()]).toEqual([0, []]);
  });

  it('C-118 takes one thing at a time: the last file counts, a question stays, and Cancel stops an installation', async () => {
    const { page } = await openPage();
    const dialog = page.getByRole('dialog');
    let first: Route | null = null;
    await page.route('**/api/connectors/preview', async (route) => {
      if (first === null) first = route;
      else await route.continue();
    });
    await drop(page, 'slow.yaml', Buffer.from(crm().replace('Acme CRM', 'Slow CRM')));
    await page.getByText('Reading slow.yaml').waitFor();
    await drop(page, 'crm.yaml', Buffer.from(crm()));
    await dialog.getByText('Install Acme CRM?').waitFor();
    await (first as Route | null)?.continue().catch(() => undefined);
    await drop(page, 'other.yaml', Buffer.from(crm().replace('Acme CRM', 'Other CRM')));
    await page.getByText('Answer the open question first').waitFor();
    expect(await dialog.getByRole('heading').first().innerText()).toBe('Install Acme CRM?');

    const sent = new Promise<void>((resolve) => {
      void page.route('**/api/connectors/install-local*', () => resolve());
    });
    await dialog.getByRole('button', { name: 'Install' }).click();
    await sent;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await ids()).toEqual([]);

    await drop(page, 'a.yaml', Buffer.from(crm()), 2);
    await page.getByText('Forge takes one file at a time').waitFor();
    expect(await dialog.count()).toBe(0);
  });

  it('W-20 a registry that does not answer can be given up', async () => {
    const { page } = await openPage();
    await page.route('**/api/connectors/marketplace?refresh=true', () => undefined);
    const refresh = page.getByRole('button', { name: 'Refresh' });
    await refresh.click();
    await expect.poll(() => refresh.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => refresh.isEnabled()).toBe(true);
  });

  it('C-122 W-20 an offer opens with its tools, its reach and the credentials it asks for, and is installed after a yes', async () => {
    const { page, problems } = await openAsking();
    await page.getByRole('link', { name: /^Marketplace/ }).click();
    await page.getByText('Looks into local Git repositories').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-marketplace');
    await page.getByRole('button', { name: 'GitHub', exact: true }).click();
    const preview = page.getByRole('dialog', { name: 'Install GitHub?' });
    for (const part of ['Talks to', 'api.github.com', 'Asks you for these secrets', 'github.list_issues'])
      expect(await preview.innerText()).toContain(part);
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-offer');
    await preview.getByRole('button', { name: 'Install' }).click();
    const frame = await confirmationFrame(page);
    await frame.getByRole('heading', { name: /^Install GitHub \d/ }).waitFor();
    await frame.getByRole('button', { name: 'Cancel' }).click();
    const refused = page.getByRole('dialog', { name: 'GitHub was not installed' });
    await refused.getByText('You did not confirm it').waitFor();
    expect([await ids(), await page.locator('iframe').count()]).toEqual([[], 0]);
    await refused.getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('button', { name: 'Install GitHub', exact: true }).click();
    await preview.getByRole('button', { name: 'Install' }).click();
    expect(await confirmOnce(page)).toMatch(/^Install GitHub [^]*api\.github\.com/);
    await page.getByRole('status').getByText('GitHub is installed.').waitFor();
    expect([await ids(), await page.getByRole('dialog').count()]).toEqual([['github'], 0]);
    await page.getByRole('link', { name: 'GitHub, installed' }).click();
    await page.waitForURL(`${forge.url}/settings/connectors/github`);
    expect(problems).toEqual([]);
  });

  it('C-122 K-64 what would change something unasked is shown first, even if it came with Forge, and each tool has the mode that was chosen', async () => {
    const { page, problems } = await openAsking();
    await page.getByRole('link', { name: /^Marketplace/ }).click();
    await page.getByRole('button', { name: 'Install Git', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Install Git?' });
    await dialog.waitFor();
    const mode = (tool: string) => dialog.getByRole('combobox', { name: `${tool}: on, ask or never`, exact: true });
    const shown = { fetch: 'on', create_branch: 'ask', stage: 'on', commit: 'ask', push: 'ask', status: 'on' };
    for (const [tool, expected] of Object.entries(shown))
      expect([tool, await mode(tool).inputValue()]).toEqual([tool, expected]);
    await mode('stage').selectOption('Ask');
    await mode('push').selectOption('Never');
    expect(await mode('commit').getByRole('option').allInnerTexts()).toEqual(['Ask', 'Never']);
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-modes');
    await dialog.getByRole('button', { name: 'Install' }).click();
    await (await confirmationFrame(page)).locator('#confirm').waitFor();
    await photograph(page, 'connectors-modes-confirm', false);
    expect(await ids()).toEqual([]);
    expect(await confirmOnce(page)).toMatch(/^Install Git \d/);
    await page.getByRole('status').getByText('Git is installed.').waitFor();
    expect([await ids(), await page.getByRole('dialog').count()]).toEqual([['git'], 0]);
    const { tools } = (await (await forge.call('GET', '/api/tools')).json()) as {
      tools: { id: string; mode: string }[];
    };
    const modes = Object.fromEntries(tools.map(({ id, mode: now }) => [id.slice('git.'.length), now]));
    expect(modes).toMatchObject({ ...shown, stage: 'ask', push: 'never' });
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

    const more = `  ping: { protocol: http, description: Counts., request: { url: "https://metrics.acme.test/ping" } }
  wipe: { protocol: shell, description: Empties it., command: [dropdb, crm] }
`;
    const second = crm('1.1.0', more).replace('return document.title;', 'const all = document.cookie;\\nreturn all;');
    offer('1.1.0', second);
    await page.getByRole('link', { name: /^Installed/ }).click();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'Update to 1.1.0' }).click();
    const dialog = page.getByRole('dialog', { name: 'Update Acme CRM to 1.1.0?' });
    await dialog.waitFor();
    // What a new tool holds is folded away; that it changes things is not.
    expect(await linesOf(dialog.getByRole('listitem'))).toEqual([
      'New https://metrics.acme.test',
      'New dropdb crm',
      'Script Changed − return document.title; + const all = document.cookie; + return all;',
      'wipe New Empties it. On Ask Never',
    ]);
    expect(await linesOf(dialog.locator('summary'))).toEqual(['crm.ping new', 'crm.read changed', 'crm.wipe new']);
    await dialog.locator('summary', { hasText: 'crm.ping' }).click();
    await dialog.getByRole('listitem').filter({ hasText: 'https://metrics.acme.test/ping' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-update');
    await dialog.getByRole('button', { name: 'Update' }).click();
    await page.getByText('Acme CRM is now at version 1.1.0.').waitFor();

    // On the connector's own page; what the registry swaps after the yes was asked for is not installed.
    offer('1.2.0', crm('1.2.0', more));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Update available').waitFor();
    await page.getByRole('link', { name: 'Acme CRM' }).click();
    await page.getByText('Version 1.2.0 is available.').waitFor();
    const look = page.getByRole('button', { name: 'See what changes' });
    const next = page.getByRole('dialog', { name: 'Update Acme CRM to 1.2.0?' });
    await look.click();
    await next.getByText('crm.read').waitFor();
    offer('1.2.0', crm('1.2.0', more.replace('dropdb, crm', 'rm, -r, /srv')));
    await next.getByRole('button', { name: 'Update' }).click();
    const refused = page.getByRole('dialog', { name: 'Acme CRM was not updated' });
    await refused.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connector-update-refused');
    await refused.getByRole('button', { name: 'Close' }).last().click();
    const installed = async () =>
      (await (await other.call('GET', '/api/connectors/crm/manifest')).json()) as { yaml: string };
    expect((await installed()).yaml).toBe(second);
    await look.click();
    await next.waitFor();
    expect(await linesOf(next.getByRole('listitem'))).toEqual([
      'New rm -r /srv',
      'Gone dropdb crm',
      expect.stringMatching(/^Script Changed − const all/),
      'Command Changed dropdb crm → rm -r /srv',
    ]);
    await photograph(page, 'connector-update');
    await next.getByRole('button', { name: 'Update' }).click();
    await page.getByText('Acme CRM is now at version 1.2.0.').waitFor();
    await look.waitFor({ state: 'hidden' });
    expect((await installed()).yaml).toContain('rm, -r, /srv');
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
    for (const word of ['Untested', 'Needs settings', 'Broken', 'Changed'])
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
    await dialog.waitFor();
    expect(await linesOf(dialog.getByRole('listitem'))).toEqual([
      'New rm --clean crm',
      'Gone pg_dump --clean crm',
      'Command Changed pg_dump --clean crm → rm --clean crm',
      'Name Changed The changed one → Acme CRM',
      'dump Writes all of them to a file. On Ask Never',
      'read Reads the deals. On Ask Never',
    ]);
    await photograph(page, 'connectors-accept');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Changed', { exact: true }).waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });

  it('the first visit leads to a working tool on this computer', async () => {
    const { page, problems } = await openPage();
    await page.getByText('No connector is installed yet').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'connectors-empty');
    await page.getByRole('button', { name: 'Try the demo' }).click();
    await page.waitForURL('**/settings/connectors/demo-shop/tools?tool=demo-shop.list_orders');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const result = page.getByRole('region', { name: /^Result of/ });
    await result.getByRole('cell', { name: '1046' }).waitFor();
    expect(await result.getByRole('row').count()).toBe(6);
    await photograph(page, 'first-visit');
    expect(problems).toEqual([]);
  });
});
