import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notificationFrame, type Run } from '../shared/bridge.ts';
import { startBridgeServer, type Answer, type BridgeServer, type RunChanges } from './testing/bridge-server.ts';
import { startExtensionBrowser, type ExtensionBrowser } from './testing/extension-browser.ts';
import { startSite, type Site } from './testing/site.ts';

let browser: ExtensionBrowser;
let bridge: BridgeServer;
let site: Site;

beforeAll(async () => {
  [bridge, site] = await Promise.all([startBridgeServer(), startSite()]);
  browser = await startExtensionBrowser();
  const hello = bridge.connected();
  await browser.useServer(bridge.port);
  await hello;
});

afterAll(async () => {
  await browser.close();
  await Promise.all([bridge.close(), site.close()]);
});

/** A call on a page of the site. */
function run(path: string, script: string, changes: RunChanges = {}): Promise<Answer> {
  return bridge.run({
    script,
    ...changes,
    acquire: { host_match: site.hostMatch, url: `${site.origin}${path}`, on_target: path, ...changes.acquire },
  });
}

const code = ({ error }: Answer) => error?.code;
const value = ({ body, error }: Answer) => (error === null ? JSON.parse(body ?? 'no body') : error);

describe('the tabs Forge opens', () => {
  it('D-14 go on when the person collapses their group, which freezes the tabs in it', async () => {
    await run('/plain', 'return 1');
    const worker = await browser.worker();
    const collapse = `chrome.tabGroups.query({ title: 'Forge' }).then(([group]) => chrome.tabGroups.update(group.id, { collapsed: true }))`;
    await expect.poll(() => worker.evaluate('chrome.tabGroups.query({ title: "Forge" })')).toHaveLength(1);
    await worker.evaluate(collapse);
    // Chromium freezes them two or three seconds later, in the middle of this.
    const script = 'for (let n = 0; n < 6; n += 1) await new Promise((go) => setTimeout(go, 1000)); return "went on"';
    expect(value(await run('/plain', script))).toBe('went on');
    expect(value(await run('/plain', 'return 2'))).toBe(2);
  });
});

describe('what the person should know', () => {
  it('C-24 a login page is a notice that leads to its tab, and so does the server’s request', async () => {
    const answer = await run('/private', 'return 1', { acquire: { login_redirect: '/login.jsp', on_target: null } });
    expect(answer.error).toMatchObject({ code: 'login_required', details: { tab_id: expect.any(Number) } });
    const { tab_id } = answer.error!.details as { tab_id: number };
    const worker = await browser.worker();
    const isActive = () => worker.evaluate(`chrome.tabs.get(${tab_id}).then(({ active }) => active)`);
    const front = await browser.context.newPage();
    expect(await isActive()).toBe(false);
    const shown = `chrome.notifications.getAll().then((all) => Object.keys(all))`;
    await expect.poll(() => worker.evaluate(shown)).toEqual([`login-${tab_id}`]);

    const popup = await browser.openPage('popup.html');
    await popup.getByText('Log in to 127.0.0.1').waitFor();
    await popup.getByRole('button', { name: 'Open', exact: true }).click();
    await expect.poll(isActive).toBe(true);
    await expect.poll(() => worker.evaluate(shown)).toEqual([]);
    await front.bringToFront();
    await expect.poll(isActive).toBe(false);

    expect((await bridge.call('tab.focus', { tab_id, timeout_ms: 1000 })).error).toBeNull();
    await expect.poll(isActive).toBe(true);
    const strange = await worker.evaluate<number>(
      `chrome.tabs.query({}).then((tabs) => tabs.find(({ id }) => id !== ${tab_id}).id)`,
    );
    expect(code(await bridge.call('tab.focus', { tab_id: strange, timeout_ms: 1000 }))).toBe('tab_closed');
    await Promise.all([front.close(), popup.close()]);
  });

  it('C-138 a notice from the server is shown on the desktop, and its page opens by a click', async () => {
    const url = `http://127.0.0.1:${bridge.port}/watches/wch_1`;
    bridge.send(notificationFrame('notify', { title: 'Done: demo.watch', message: 'It is done.', url }));
    const worker = await browser.worker();
    await expect
      .poll(() => worker.evaluate('chrome.notifications.getAll().then((all) => Object.keys(all).length)'))
      .toBe(1);
    const popup = await browser.openPage('popup.html');
    await popup.getByText('Done: demo.watch').waitFor();
    const opened = browser.context.waitForEvent('page');
    await popup.getByRole('button', { name: 'Open', exact: true }).click();
    expect((await opened).url()).toBe(url);
    await expect
      .poll(() => worker.evaluate('chrome.notifications.getAll().then((all) => Object.keys(all).length)'))
      .toBe(0);
    await Promise.all([popup.close(), (await opened).close()]);
  });

  it('C-138 a click on the notification itself opens its page, and the notification goes', async () => {
    const url = `http://127.0.0.1:${bridge.port}/chat/sess_1`;
    bridge.send(notificationFrame('notify', { title: 'Done: demo.watch', message: 'It is done.', url }));
    const worker = await browser.worker();
    const ids = () => worker.evaluate<string[]>('chrome.notifications.getAll().then((all) => Object.keys(all))');
    await expect.poll(ids).toHaveLength(1);
    const [id] = await ids();
    const opened = browser.context.waitForEvent('page');
    // A headless browser draws no notifications, so the event of the click is given to it.
    await worker.evaluate(`chrome.notifications.onClicked.dispatch(${JSON.stringify(id)})`);
    expect((await opened).url()).toBe(url);
    await expect.poll(ids).toEqual([]);
    await (await opened).close();
  });
});

describe('losing the connection', () => {
  it('a call whose socket is cut comes back with its result, run once', async () => {
    await run('/plain', 'window.runs = 0');
    const script = 'window.runs += 1; await fetch("/hold/cut"); return window.runs';
    const call = run('/plain', script, { call_id: 'call_cut' });
    await expect.poll(() => site.hits.get('/hold/cut'), { interval: 20 }).toBe(1);
    const again = bridge.connected();
    bridge.cut();
    await again;
    expect(bridge.hellos.at(-1)?.running).toEqual(['call_cut']);
    site.release('cut');
    expect(value(await call)).toBe(1);
    expect(site.hits.get('/hold/cut')).toBe(1);
  });

  it('a killed worker comes back by itself, again and again', async () => {
    await run('/plain', 'return 1');
    bridge.gaps.length = 0;
    for (let round = 0; round < 5; round += 1) {
      const again = bridge.connected();
      await browser.killWorker();
      await again;
      expect(value(await run('/plain', 'return 2'))).toBe(2);
    }
    console.log(`ms from a killed worker to its next hello: ${bridge.gaps.map(Math.round).join(', ')}`);
  });

  it('frames that make no sense harm nobody', async () => {
    const nonsense = '|null|[]|{"id":1}|{"id":-1,"method":"ping"}|{"method":"nope"}|{"id":9,"result":{}}'.split('|');
    for (const text of nonsense) bridge.send(text);
    expect(code(await bridge.call('nope' as 'ping', {}))).toBe('bridge_protocol');
    expect(code(await bridge.call('connector.run', {} as Run))).toBe('bridge_protocol');
    expect(value(await run('/plain', 'return 1'))).toBe(1);
  });

  it('K-54 whoever takes Forge’s place learns nothing and runs nothing, until the person connects to it', async () => {
    bridge.answerHello = 'impostor';
    const met = bridge.connected();
    bridge.cut();
    await met;
    const popup = await browser.openPage('popup.html');
    await popup.getByText('Something else answers').waitFor();
    bridge.answerHello = 'pair';
    const asked = bridge.connected();
    await popup.getByRole('button', { name: 'Connect to it' }).click();
    await asked;
    await popup.getByText('123 456').waitFor();
    bridge.accept();
    await popup.getByText('Connected', { exact: true }).waitFor();
    await popup.close();
    expect(value(await run('/plain', 'return 1'))).toBe(1);
  });

  it('a revoked browser asks again only when the person wants it to', async () => {
    bridge.answerHello = 'refuse';
    const refused = bridge.connected();
    bridge.cut();
    await refused;
    const popup = await browser.openPage('popup.html');
    await popup.getByText('Forge does not know this browser').waitFor();
    bridge.answerHello = 'pair';
    const asked = bridge.connected();
    await popup.getByRole('button', { name: 'Connect' }).click();
    await asked;
    expect(bridge.hellos.at(-1)).toMatchObject({ paired: false });
    await popup.getByText('123 456').waitFor();
    await popup.close();
  });
});
