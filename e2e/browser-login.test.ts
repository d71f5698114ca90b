import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';
import { startSessionSite, type SessionSite } from './testing/session-site.ts';

let world: BrowserWorld;
let site: SessionSite;

const HEAD = (id: string) => `id: ${id}
name: ${id}
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/*"
test: { probe: browser }
`;
const PAGES = `${HEAD('pages')}login_redirect: /signin
tools:
  wipe:
    destructive: true
    page: { url: "{base_url}/board" }
    script: return (await fetch('/wiped')).status
`;
const APP = (sign: string) => `${sign}
tools:
  list:
    page: { url: "{base_url}/app" }
    script: return [...document.querySelectorAll('li')].map((item) => item.textContent)
  first:
    page: { url: "{base_url}/app" }
    script: return document.querySelector('li').textContent
`;

beforeAll(async () => {
  [world, site] = await Promise.all([startBrowserWorld(), startSessionSite()]);
  for (const [id, yaml] of [
    ['pages', PAGES],
    ['app', HEAD('app') + APP('login_redirect: /signin')],
    ['signed', HEAD('signed') + APP('logged_in_selector: "#me"')],
  ] as const) {
    await world.install(id, yaml);
    await world.forge.call('PUT', `/api/connectors/${id}/settings`, { values: { base_url: site.origin } });
  }
}, 120_000);

afterAll(async () => {
  await world.close();
  await site.close();
});

beforeEach(() => site.logIn());

const test = async (id: string): Promise<unknown> =>
  (await world.forge.call('POST', `/api/connectors/${id}/test`)).json();

describe('C-108 Test', () => {
  it.each([
    ['pages', '/board'],
    ['app', '/app'],
    ['app', '/app#/list'],
    ['signed', '/app'],
  ])('says of %s, open at %s, that a session which ended on the server is over', async (id, path) => {
    const page = await world.browser.context.newPage();
    await page.goto(`${site.origin}${path}`);
    await page.locator('#me').waitFor();
    await world.browser.context.newPage();
    expect(await test(id)).toMatchObject({ ok: true });
    site.logOut();
    expect(await test(id)).toMatchObject({ ok: false, message: 'login required' });
    for (const other of world.browser.context.pages().slice(1)) await other.close();
  });
});

describe('C-24 a call', () => {
  it.each([
    ['app.first', 'throws'],
    ['app.list', 'finds nothing'],
    ['signed.list', 'finds nothing'],
  ])('%s says login_required where its script %s because the application went to its login', async (tool) => {
    site.logOut();
    expect(await world.call(tool)).toMatchObject({ error: { code: 'login_required' } });
  });

  it('waits for the sign of a login that is drawn late', async () => {
    expect(await world.call('signed.list')).toMatchObject({ result: ['One'] });
  });
});

describe('K-10 a destructive call', () => {
  const windows = () => world.browser.context.pages().filter((page) => page.url().includes('approve.html'));
  const approvals = async () => {
    const { approvals: found } = (await (await world.forge.call('GET', '/api/approvals')).json()) as {
      approvals: { id: string }[];
    };
    return found;
  };

  it('asks nobody while nobody is logged in', async () => {
    site.logOut();
    const opened: string[] = [];
    const listen = (page: { url(): string }): number => opened.push(page.url());
    world.browser.context.on('page', listen);
    expect(await world.call('pages.wipe')).toMatchObject({ error: { code: 'login_required' } });
    world.browser.context.off('page', listen);
    expect(opened.filter((url) => url.includes('approve.html'))).toEqual([]);
  });

  it.each([
    ['approve', { result: 200 }, 1],
    ['deny', { error: { code: 'approval_denied' } }, 0],
  ])('is decided by whoever answers first, and the window closes: %s', async (decision, answer, count) => {
    site.hits.delete('/wiped');
    const call = world.call('pages.wipe');
    await expect.poll(approvals).toHaveLength(1);
    await expect.poll(() => windows().length).toBe(1);
    const [asked] = await approvals();
    await world.forge.call('POST', `/api/approvals/${asked?.id ?? ''}`, { decision });
    expect(await call).toMatchObject(answer);
    await expect.poll(() => windows().length).toBe(0);
    expect(site.hits.get('/wiped') ?? 0).toBe(count);
  });

  it('answered in the window, it waits nowhere else', async () => {
    const call = world.call('pages.wipe');
    await expect.poll(() => windows().length).toBe(1);
    await expect.poll(approvals).toHaveLength(1);
    const [window] = windows();
    await window?.close();
    expect(await call).toMatchObject({ error: { code: 'approval_denied' } });
    expect(await approvals()).toEqual([]);
  });
});
