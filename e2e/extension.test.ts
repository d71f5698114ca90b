import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXTENSION_ID } from '../shared/extension-id.ts';
import { photographPage, startExtensionBrowser, type ExtensionBrowser } from './testing/extension-browser.ts';
import { startBridgeServer, type Answer, type BridgeServer, type RunChanges } from './testing/bridge-server.ts';
import { startSite, type Site } from './testing/site.ts';

let browser: ExtensionBrowser;
let bridge: BridgeServer;
let site: Site;

beforeAll(async () => {
  [bridge, site] = await Promise.all([startBridgeServer(), startSite()]);
  bridge.answerHello = 'pair';
  browser = await startExtensionBrowser();
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

describe('K-54 pairing', () => {
  it('asks by itself, shows the code, and knows its Forge from then on', async () => {
    const hello = bridge.connected();
    await browser.useServer(bridge.port);
    await hello;
    expect(bridge.hellos[0]).toMatchObject({ paired: false, ticket_proof: null, user_scripts: true, paused: false });
    expect(bridge.origins).toEqual([`chrome-extension://${EXTENSION_ID}`]);
    const popup = await browser.openPage('popup.html');
    await popup.getByText('123 456').waitFor();
    bridge.accept();
    await popup.getByText('Connected', { exact: true }).waitFor();
    await popup.close();

    const again = bridge.connected();
    bridge.cut();
    await again;
    expect(bridge.hellos.at(-1)).toMatchObject({
      paired: true,
      public_key: bridge.hellos[0]?.public_key,
      browser_id: bridge.hellos[0]?.browser_id,
    });
  });
});

const code = ({ error }: Answer) => error?.code;
const value = ({ body, error }: Answer) => (error === null ? JSON.parse(body ?? 'no body') : error);

describe('C-18 K-20 running a script', () => {
  it.each(['/plain', '/csp', '/trusted-types'])('%s in the page’s world and beside it', async (path) => {
    const script = 'return {h: document.querySelector("h1").textContent, page: globalThis.fromPage ?? null, n: args.n}';
    expect(value(await run(path, script, { args: '{"n":1}' }))).toMatchObject({
      n: 1,
      page: path === '/plain' ? 42 : null,
    });
    expect(value(await run(path, script, { args: '{"n":2}', runner: 'isolated' }))).toMatchObject({ n: 2, page: null });
  });

  it('C-46 sends the person’s HttpOnly cookies with a fetch to the same site', async () => {
    for (const runner of ['main', 'isolated'] as const)
      expect(value(await run('/cookie', 'return (await fetch("/who")).json()', { runner }))).toEqual({
        cookie: 'sid=secret',
      });
  });

  it('C-48 tells the message and the line of a throw, and what is not JSON', async () => {
    const threw = await run('/plain', 'const a = 1;\n\nnull.x;');
    expect(threw.error).toMatchObject({ code: 'script_failed', message: expect.stringContaining('line 3') });
    const isolated = await run('/plain', '\nthrow new Error("mine")', { runner: 'isolated' });
    expect(isolated.error?.message).toContain('Error: mine (line 2');
    expect(code(await run('/plain', 'return (('))).toBe('script_syntax');
    expect((await run('/plain', 'return {a: [document.body]}')).error).toMatchObject({
      code: 'result_not_json',
      message: expect.stringContaining('it.a[0] is a DOM node'),
    });
    expect(code(await run('/plain', 'return () => 1'))).toBe('result_not_json');
    expect(code(await run('/plain', 'return window'))).toBe('result_not_json');
    expect(code(await run('/plain', 'return "é".repeat(600)', { max_result_bytes: 1000 }))).toBe('result_too_large');
    expect(value(await run('/plain', 'return undefined'))).toBeNull();
  });

  it('S15 a hostile page does not change what comes back', async () => {
    expect(value(await run('/hostile', 'return [1]'))).toEqual([1]);
    expect(value(await run('/hostile', 'return [1]', { runner: 'isolated' }))).toEqual([1]);
    expect(value(await run('/plain', 'return [1]'))).toEqual([1]);
  });

  it('runs in a frame, in open shadow roots, and with ten megabytes', async () => {
    const frame = `${site.origin}/inner`;
    expect(value(await run('/frames', 'return document.querySelector("h1").textContent', { frame }))).toBe('Inner');
    expect(value(await run('/shadow', 'return forge.queryDeep(".deep").map((b) => b.textContent)'))).toEqual(['found']);
    expect((await run('/plain', 'return "x".repeat(10e6)')).body).toHaveLength(10_000_002);
  });
});

describe('acquiring a tab', () => {
  it('C-24 C-108 tells a login page by its address and by its form', async () => {
    expect(code(await run('/private', 'return 1', { acquire: { login_redirect: '/login.jsp' } }))).toBe(
      'login_required',
    );
    expect(code(await run('/login.jsp', 'return 1', { acquire: { login_selector: '#login' } }))).toBe('login_required');
    const params = { pluginId: 'demo', host_match: site.hostMatch, runner: 'main', timeout_ms: 10_000 } as const;
    const behindLogin = { ...params, host_match: `${site.origin}/private*`, login_redirect: '/login.jsp' };
    expect((await bridge.call('connector.probe', behindLogin)).result).toEqual({
      ok: false,
      error: 'login required',
      url: `${site.origin}/login.jsp?next=private`,
    });
    await run('/plain', 'return 1');
    expect((await bridge.call('connector.probe', params)).result).toEqual({ ok: true, url: `${site.origin}/plain` });
  });

  it('follows redirects to the end, and says when a page cannot be loaded or never ends', async () => {
    expect(value(await run('/script-redirect', 'return location.search', { acquire: { on_target: null } }))).toBe(
      '?redirected',
    );
    const closed = await run('', 'return 1', {
      acquire: { host_match: 'http://127.0.0.1:1/*', url: 'http://127.0.0.1:1/' },
    });
    expect(closed.error).toMatchObject({ code: 'page_error', message: expect.stringContaining('net::ERR_') });
    expect(code(await run('/never', 'return 1', { timeout_ms: 1500, acquire: { on_target: null } }))).toBe(
      'navigation_timeout',
    );
    expect(value(await run('/plain', 'return 1'))).toBe(1);
  });

  it('W-21 keeps calls on one tab apart and in order', async () => {
    const slow =
      'const n = (window.busy += 1); order.push(args.n); await new Promise((go) => setTimeout(go, 50)); window.busy -= 1; return [n, args.n]';
    await run('/plain', 'window.busy = 0; window.order = []');
    const answers = await Promise.all([1, 2, 3, 4].map((n) => run('/plain', slow, { args: JSON.stringify({ n }) })));
    expect(answers.map(value)).toEqual([1, 2, 3, 4].map((n) => [1, n]));
    expect(value(await run('/plain', 'return order'))).toEqual([1, 2, 3, 4]);
  });

  it('never navigates the tab in front nor one with unsaved input, and never takes the focus', async () => {
    const page = await browser.context.newPage();
    await page.goto(`${site.origin}/form`);
    const other = `http://localhost:${new URL(site.origin).port}`;
    expect(code(await run('/x', '', { acquire: { host_match: `${other}/*`, url: `${other}/plain` } }))).toBe(
      'permission_missing',
    );
    await page.fill('#text', 'typed');
    expect(value(await run('/plain', 'return location.pathname', { acquire: { on_target: null } }))).toBe('/plain');
    expect(page.url()).toBe(`${site.origin}/form`);
    const front = await browser.context.newPage();
    await front.bringToFront();
    expect(value(await run('/table', 'return location.pathname', { acquire: { on_target: null } }))).toBe('/table');
    expect(page.url()).toBe(`${site.origin}/form`);
    expect(await front.evaluate(() => document.visibilityState)).toBe('visible');
    await Promise.all([page.close(), front.close()]);
  });

  it('navigates to the same address again, with and without a fragment, and brings back a discarded tab', async () => {
    const anywhere = { acquire: { on_target: null } } as const;
    for (const path of ['/plain#a', '/plain#a', '/plain#b', '/plain', '/plain']) {
      expect(value(await run(path, 'return location.pathname + location.hash', anywhere))).toBe(path);
    }
    const tabs = `chrome.tabs.query({ url: ${JSON.stringify(site.hostMatch)}, active: false })`;
    await (
      await browser.worker()
    ).evaluate(`${tabs}.then((all) => Promise.all(all.map(({ id }) => chrome.tabs.discard(id))))`);
    expect(value(await run('/plain', 'return document.querySelector("h1").textContent'))).toBe('Plain');
  });

  it('W-12 opens a tab for one call, or keeps one for the next', async () => {
    const count = () => browser.context.pages().length;
    const before = count();
    const marker = 'const seen = window.seen ?? 0; window.seen = seen + 1; return seen';
    const ephemeral = { acquire: { tab_strategy: 'ephemeral', on_target: null } } as const;
    expect(value(await run('/plain', marker, ephemeral))).toBe(0);
    expect(value(await run('/plain', marker, ephemeral))).toBe(0);
    await expect.poll(count).toBe(before);
    const persistent = { acquire: { tab_strategy: 'persistent' } } as const;
    expect(value(await run('/plain', marker, persistent))).toBe(0);
    expect(value(await run('/plain', marker, persistent))).toBe(1);
    await expect.poll(count).toBe(before + 1);
  });
});

describe('stopping', () => {
  const forever = 'await new Promise(() => {})';

  it('a cancel ends a call at once, and the tab is good for the next one', async () => {
    const call = run('/plain', `await fetch('/started'); ${forever}`, { call_id: 'to-cancel', timeout_ms: 30_000 });
    await expect.poll(() => site.hits.get('/started'), { interval: 20 }).toBe(1);
    bridge.cancel('to-cancel');
    expect(code(await call)).toBe('cancelled');
    expect(value(await run('/plain', 'return 1'))).toBe(1);
  });

  it('a deadline ends a script that waits and one that spins', async () => {
    // Long enough for a new tab on a busy machine; what is still under way then is the script.
    expect(code(await run('/plain', forever, { timeout_ms: 2000 }))).toBe('call_timeout');
    expect(code(await run('/plain', 'for (;;);', { timeout_ms: 3000 }))).toBe('call_timeout');
    expect(value(await run('/plain', 'return 1'))).toBe(1);
  });

  it('a page that leaves or closes ends the call', async () => {
    const leaves = 'location.href = "/leaves"; await new Promise(() => {})';
    expect(code(await run('/plain', leaves))).toBe('tab_closed');
    const closes = 'window.close(); await new Promise(() => {})';
    expect(code(await run('/plain', closes, { acquire: { tab_strategy: 'ephemeral' } }))).toBe('tab_closed');
  });

  it('the pause switch stops what runs and lets nothing start', async () => {
    const call = run('/plain', forever, { timeout_ms: 30_000 });
    const popup = await browser.openPage('popup.html');
    await popup.getByRole('switch', { name: 'Pause' }).click();
    expect(code(await call)).toBe('browser_paused');
    expect(code(await run('/plain', 'return 1'))).toBe('browser_paused');
    expect(bridge.states.at(-1)).toEqual({ user_scripts: true, paused: true });
    await popup.getByRole('switch', { name: 'Pause' }).click();
    await popup.getByText('Stops every tool').waitFor();
    expect(value(await run('/plain', 'return 1'))).toBe(1);
    await popup.close();
  });
});

describe('C-37 K-10 asking the person', () => {
  const approval = { reason: 'It changes data.', timeout_ms: 20_000 };
  const ask = (changes: RunChanges = {}) =>
    run('/plain', 'return args.text', {
      title: 'Add a comment to ABC-12',
      args: JSON.stringify({ issue_key: 'ABC-12', text: 'hello there', labels: ['a', 'b'] }),
      approval,
      ...changes,
    });
  /** The window closes under the click, which Playwright calls an error. */
  const pressed = (action: Promise<void>) =>
    action.catch((error: unknown) => expect(String(error)).toContain('closed'));
  const nextWindow = () => browser.context.waitForEvent('page', (page) => page.url().includes('approve.html'));

  it('shows the real arguments, ignores stray keys, and runs after a click on Approve', async () => {
    const opened = nextWindow();
    const call = ask();
    const window = await opened;
    await window.getByRole('heading', { name: 'Add a comment to ABC-12' }).waitFor();
    await window.getByText('hello there').waitFor();
    // A window that has just lost the focus takes no yes, however slow this computer is.
    await window.evaluate(() => dispatchEvent(new Event('blur')));
    for (const key of ['Enter', 'Space', 'Enter']) await window.keyboard.press(key);
    const approve = window.getByRole('button', { name: 'Approve' });
    await approve.click({ force: true });
    expect(window.isClosed()).toBe(false);
    await window.evaluate(() => dispatchEvent(new Event('focus')));
    await window.locator('button.primary:enabled').waitFor();
    expect(await photographPage(window, 'approve', { width: 480, height: 560 })).toBe(true);
    await window.keyboard.press('Enter');
    expect(window.isClosed()).toBe(false);
    await pressed(approve.click());
    expect(value(await call)).toBe('hello there');
  });

  it('allows the tool for longer by a click of its own, and tells the server the limits', async () => {
    const opened = nextWindow();
    const call = ask({ call_id: 'call_longer' });
    const window = await opened;
    await window.locator('button.primary:enabled').waitFor();
    await window.getByText('Allow for longer…').click();
    const [atMost, forHowLong] = [window.getByRole('combobox').nth(0), window.getByRole('combobox').nth(1)];
    await atMost.selectOption('5');
    await forHowLong.selectOption('15 minutes');
    expect(await photographPage(window, 'approve-longer', { width: 480, height: 560 })).toBe(true);
    // A key that was pressed elsewhere is not a yes here either.
    await atMost.press('Enter');
    expect(window.isClosed()).toBe(false);
    await pressed(window.getByRole('button', { name: 'Allow within these limits' }).click());
    expect(value(await call)).toBe('hello there');
    expect(bridge.states).toContainEqual({ call_id: 'call_longer', max_uses: 5, for_ms: 15 * 60_000 });
  });

  it('deny, closing, no answer and a cancel are all a no', async () => {
    for (const say of ['deny', 'close', 'escape']) {
      const opened = nextWindow();
      const call = ask();
      const window = await opened;
      await window.getByRole('heading', { name: 'Add a comment' }).waitFor();
      if (say === 'close') await window.close();
      else if (say === 'deny') await pressed(window.getByRole('button', { name: 'Deny' }).click());
      else await pressed(window.keyboard.press('Escape'));
      expect(code(await call)).toBe('approval_denied');
    }
    expect(code(await ask({ approval: { ...approval, timeout_ms: 300 } }))).toBe('approval_expired');
    const opened = nextWindow();
    const call = ask({ call_id: 'asked' });
    await opened;
    bridge.cancel('asked');
    expect(code(await call)).toBe('cancelled');
  });
});

describe('C-121 looking at a page', () => {
  const inspect = (action: Parameters<typeof bridge.call<'dom.inspect'>>[1]['action']) =>
    bridge.call('dom.inspect', { host_match: site.hostMatch, action, timeout_ms: 10_000 });

  it('gives an outline with selectors that find what they name, tries a selector and a script', async () => {
    await run('/table', 'return 1', { acquire: { on_target: null } });
    const { nodes } = value(await inspect({ kind: 'outline', max_nodes: 200 }));
    const row = nodes.find(({ tag }: { tag: string }) => tag === 'tr');
    const found = value(await inspect({ kind: 'selector', selector: row.selector }));
    expect(found).toMatchObject({ count: 1, matches: [{ tag: 'tr', visible: true }] });
    expect(nodes.some(({ more }: { more?: number }) => more === 98)).toBe(true);
    expect(code(await inspect({ kind: 'selector', selector: '((' }))).toBe('invalid_argument');
    expect(value(await inspect({ kind: 'script', script: 'return document.title', runner: 'isolated' }))).toBe(
      '/table',
    );
  });
});
