import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notificationFrame } from '../shared/bridge.ts';
import { EXTENSION_ID, TICKET_PAGE } from '../shared/extension-id.ts';
import { startBridgeServer, type Answer, type BridgeServer, type RunChanges } from './testing/bridge-server.ts';
import { photographPage, startExtensionBrowser, type ExtensionBrowser } from './testing/extension-browser.ts';
import { startSite, type Site } from './testing/site.ts';

let browser: ExtensionBrowser;
let bridge: BridgeServer;
let site: Site;

beforeAll(async () => {
  [bridge, site] = await Promise.all([startBridgeServer(), startSite()]);
  // As after an installation: no switch is on, no site is allowed.
  browser = await startExtensionBrowser({ userScripts: false, hosts: [], grantable: ['*://*/*'] });
});

afterAll(async () => {
  await browser.close();
  await Promise.all([bridge.close(), site.close()]);
});

function run(script: string, changes: RunChanges = {}, page = '/plain'): Promise<Answer> {
  return bridge.run({
    script,
    ...changes,
    acquire: { host_match: site.hostMatch, url: `${site.origin}${page}`, on_target: page },
  });
}

const POPUP = { width: 352, height: 560 };

describe('first use', () => {
  it('a ticket from a browser that Forge started replaces the click', async () => {
    const page = await browser.context.newPage();
    await browser.worker();
    const hello = bridge.connected();
    await page.goto(`chrome-extension://${EXTENSION_ID}/${TICKET_PAGE}#port=${bridge.port}&ticket=${'t'.repeat(43)}`);
    await hello;
    await expect.poll(() => bridge.wasShown('t'.repeat(43))).toBe(true);
    expect(JSON.stringify(bridge.hellos)).not.toContain('t'.repeat(43));
    bridge.accept('t'.repeat(43));
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(page.url()).not.toContain('ticket=');
    expect(await photographPage(page, 'pair', { width: 720, height: 480 })).toBe(true);
    await page.close();
  });

  it('a site that is not allowed is a result that names it, and the popup asks for it', async () => {
    const answer = await run('return 1', { title: 'Jira: list_my_issues' });
    expect(answer.error).toMatchObject({ code: 'permission_missing', message: expect.stringContaining(site.origin) });
    const { host } = new URL(site.origin);
    const asked = `Jira: list_my_issues needs ${host}`;
    const badge = async () => (await browser.worker()).evaluate('chrome.action.getBadgeText({})');
    await expect.poll(badge).toBe('!');
    // The worker after this one knows it too.
    const again = bridge.connected();
    await browser.killWorker();
    await again;
    await expect.poll(badge).toBe('!');
    const popup = await browser.openPage('popup.html');
    await popup.getByText(asked).waitFor();
    await popup.getByRole('button', { name: 'Allow' }).waitFor();
    await popup.getByText('User scripts are off').waitFor();
    expect(await photographPage(popup, 'popup-first-use', POPUP)).toBe(true);
    await popup.getByRole('button', { name: 'Allow' }).click();
    await popup.getByText('A tool needs these sites').waitFor({ state: 'detached' });
    await popup.close();
  });

  it('K-20 without user scripts the page’s world works where its policy allows it, and nothing else does', async () => {
    expect((await run('return args.n + window.fromPage', { args: '{"n":1}' })).body).toBe('43');
    expect((await run('\nnull.x')).error?.message).toContain('line 2');
    expect((await run('return ((')).error?.code).toBe('script_syntax');
    expect((await run('return 1', {}, '/csp')).error?.code).toBe('user_scripts_off');
    expect((await run('return 1', {}, '/trusted-types')).error?.code).toBe('user_scripts_off');
    expect((await run('return 1', { runner: 'isolated' })).error?.code).toBe('user_scripts_off');
    expect(bridge.hellos.at(-1)).toMatchObject({ user_scripts: false });
  });
});

describe('what the popup shows', () => {
  it('the code while pairing, and why there is no connection', async () => {
    const popup = await browser.openPage('popup.html');
    bridge.answerHello = 'refuse';
    bridge.cut();
    await popup.getByText('Forge does not know this browser').waitFor();
    expect(await photographPage(popup, 'popup-refused', POPUP)).toBe(true);
    bridge.answerHello = 'pair';
    await popup.getByRole('button', { name: 'Connect' }).click();
    await popup.getByText('123 456').waitFor();
    expect(await photographPage(popup, 'popup-pairing', POPUP)).toBe(true);
    bridge.accept();
    await popup.getByText('Connected', { exact: true }).waitFor();
    expect(await photographPage(popup, 'popup-connected', POPUP)).toBe(true);
    await popup.close();
  });

  it('W-20 the connectors of the site in front with their state, and how many calls wait', async () => {
    const tab = await browser.context.newPage();
    await tab.goto(`${site.origin}/plain`);
    const tabId = await (
      await browser.worker()
    ).evaluate(`chrome.tabs.query({ url: '${site.origin}/plain' }).then(([tab]) => tab.id)`);
    const connector = (id: string, name: string, state: string, host: string) => ({
      ...{ id, name, state, reason: '' },
      health: { status: 'working', since: null, message: '' },
      host_match: [host],
    });
    bridge.apiAnswers.set('/api/glance', {
      connectors: [
        connector('shop', 'Shop', 'ready', site.hostMatch),
        connector('desk', 'Help desk', 'needs_settings', site.hostMatch),
        connector('other', 'Elsewhere', 'ready', 'https://elsewhere.test/*'),
      ],
      waiting: 2,
    });
    const popup = await browser.openPage(`popup.html?tab=${String(tabId)}`);
    const list = popup.getByRole('region', { name: 'Connectors of this site' });
    await expect
      .poll(() => list.getByRole('listitem').allInnerTexts())
      .toEqual([expect.stringMatching(/^Shop\s+Ready$/), expect.stringMatching(/^Help desk\s+Needs settings$/)]);
    await popup.getByText('2 calls wait for you').waitFor();
    expect(await photographPage(popup, 'popup-site', POPUP)).toBe(true);
    const opened = (name: string) =>
      Promise.all([browser.context.waitForEvent('page'), popup.getByRole('button', { name }).click()]);
    const forge = `http://127.0.0.1:${bridge.port}`;
    const activity = (await opened('Answer'))[0];
    await activity.waitForURL(`${forge}/activity`, { waitUntil: 'commit' });
    const settings = (await opened('Help desk'))[0];
    await settings.waitForURL(`${forge}/settings/connectors/desk`, { waitUntil: 'commit' });
    for (const page of [activity, settings, popup, tab]) await page.close();
    bridge.apiAnswers.clear();
  });

  it('W-20 a question that a window of ours asks, and leads to it', async () => {
    const asked = run('return 1', { approval: { reason: 'why', timeout_ms: 60_000 } });
    const window = await browser.context.waitForEvent('page');
    await window.getByRole('button', { name: 'Deny' }).waitFor();
    const popup = await browser.openPage('popup.html');
    await popup.getByText('1 call waits for you').waitFor();
    await popup.getByRole('button', { name: 'Answer' }).click();
    // The window closes under the click, which Playwright calls an error.
    const denied = window.getByRole('button', { name: 'Deny' }).click();
    await denied.catch((error: unknown) => expect(String(error)).toContain('closed'));
    expect((await asked).error?.code).toBe('approval_denied');
    await popup.getByText('1 call waits for you').waitFor({ state: 'detached' });
    await popup.close();
  });

  it('W-20 each notice until it is dismissed itself', async () => {
    const popup = await browser.openPage('popup.html');
    for (const title of ['Build 7 is done', 'Build 8 is done'])
      bridge.send(notificationFrame('notify', { title, message: 'All green.', url: null }));
    const notice = (title: string) =>
      popup.locator('section').filter({ has: popup.getByRole('heading', { name: title }) });
    await notice('Build 7 is done').waitFor();
    await notice('Build 8 is done').getByRole('button', { name: 'Dismiss' }).click();
    await notice('Build 8 is done').waitFor({ state: 'detached' });
    expect(await notice('Build 7 is done').count()).toBe(1);
    await notice('Build 7 is done').getByRole('button', { name: 'Dismiss' }).click();
    await notice('Build 7 is done').waitFor({ state: 'detached' });
    await popup.close();
  });

  it('the sites that are allowed, in the options, until they are removed', async () => {
    const options = await browser.openPage('options.html');
    await options.getByRole('button', { name: `Remove ${site.origin}/*` }).waitFor();
    expect(await photographPage(options, 'options', { width: 720, height: 640 })).toBe(true);
    await options.getByRole('button', { name: `Remove ${site.origin}/*` }).click();
    await options.getByText('None yet.').waitFor();
    expect((await run('return 1')).error?.code).toBe('permission_missing');
    await options.close();
  });
});
