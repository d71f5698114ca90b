import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorldWith, type BrowserWorld, type ToolAnswer } from './testing/browser-world.ts';
import { startFirefox, type FirefoxBrowser } from './testing/firefox.ts';

let world: BrowserWorld<FirefoxBrowser>;

const DEMO = `${readFileSync(path.resolve(import.meta.dirname, 'fixtures/browser-demo.yaml'), 'utf8')}
  leaves:
    page: { url: "{base_url}/leaves" }
    script: |
      location.href = '/plain?left';
      await new Promise(() => {});
  stays:
    page: { url: "{base_url}/stays" }
    script: |
      await fetch('/started');
      await new Promise(() => {});
  danger:
    destructive: true
    page: { url: "{base_url}/plain" }
    script: return 'done'
`;

beforeAll(async () => {
  world = await startWorldWith(startFirefox);
  await world.install('demo', DEMO);
  const probed = `${DEMO.replace('id: demo', 'id: probed')}test: { probe: browser }\n`;
  await world.install('probed', probed);
  await world.install(
    'gated',
    probed.replace('id: probed', 'id: gated').replace('{base_url}/*', '{base_url}/private*'),
  );
}, 120_000);

afterAll(async () => world.close());

const result = ({ error, result: value }: ToolAnswer): unknown => error ?? value;
const code = ({ error }: ToolAnswer): string | undefined => error?.code;

async function browsers(): Promise<unknown> {
  const answer = (await (await world.forge.call('GET', '/api/browsers')).json()) as { browsers: unknown };
  return answer.browsers;
}

/** A port on which nobody listens. Firefox has reasons of its own to refuse the well-known ones. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The tab or window whose address has this in it, when it is there. */
async function contextAt(part: string): Promise<string | undefined> {
  let found: string | undefined;
  const look = async () => (found = (await world.browser.contexts()).find(({ url }) => url.includes(part))?.context);
  await expect.poll(look).toBeDefined();
  return found;
}

function setBase(url: string): Promise<Response> {
  return world.forge.call('PUT', '/api/connectors/demo/settings', { values: { base_url: url } });
}

describe('Firefox: pairing', () => {
  it('D-09 is accepted by a person and listed with the origin of its own', async () => {
    expect(await browsers()).toEqual([
      expect.objectContaining({
        browser: expect.stringMatching(/^Firefox \d+$/),
        origin: world.browser.origin,
        user_scripts: true,
        connected: true,
      }),
    ]);
  });
});

describe('Firefox: tools in a tab', () => {
  it.each([
    ['plain', 'Plain'],
    ['csp', 'Strict'],
    ['trusted-types', 'Trusted'],
    ['sandbox', 'Sandbox'],
    ['slow', 'Slow'],
  ])('C-18 C-53 a %s page, in its own world and beside it', async (page, heading) => {
    expect(result(await world.call('demo.heading', { page }))).toBe(heading);
    expect(result(await world.call('demo.heading_isolated', { page }))).toEqual({
      heading,
      greeting: 'Hello',
      token: null,
    });
  });

  it('C-24 C-33 follows redirects to their end, and knows a login page', async () => {
    expect(result(await world.call('demo.visit', { page: 'chain' }))).toBe('/plain?arrived');
    expect(result(await world.call('demo.visit', { page: 'script-redirect' }))).toBe('/plain?redirected');
    expect(code(await world.call('demo.visit', { page: 'private' }))).toBe('login_required');
  });

  it('C-34 skips the navigation where on_target says so', async () => {
    expect(result(await world.call('demo.spa'))).toBe('/spa/board/7');
    const visits = world.site.hits.get('/spa');
    expect(result(await world.call('demo.spa'))).toBe('/spa/board/7');
    expect(world.site.hits.get('/spa')).toBe(visits);
  });

  it('a frame, an open shadow root and a list that is drawn while it is scrolled', async () => {
    expect(result(await world.call('demo.frame'))).toBe('Inner');
    expect(result(await world.call('demo.shadow'))).toEqual(['found']);
    expect(result(await world.call('demo.virtual'))).toEqual({ count: 5000, last: true });
  });

  it('C-46 the person’s HttpOnly cookies go with a fetch to the same site', async () => {
    expect(result(await world.call('demo.who'))).toEqual({ cookie: 'sid=secret' });
  });

  it('W-12 eight tabs at once', async () => {
    const all = [1, 2, 3, 4, 5, 6, 7, 8];
    const answers = await Promise.all(all.map((n) => world.call('demo.apart', { n, of: all.length })));
    expect(answers.map(result)).toEqual(all);
  });
});

describe('Firefox: the Test button', () => {
  it('D-10 C-108 C-111 opens a tab, and says whether a person is logged in', async () => {
    const test = async (id: string) => (await world.forge.call('POST', `/api/connectors/${id}/test`)).json();
    expect(await test('probed')).toMatchObject({ ok: true, url: expect.stringContaining(world.site.origin) });
    expect(JSON.stringify(await test('gated'))).toContain('login required');
  });
});

describe('Firefox: failures told apart', () => {
  it('C-48 C-49 a throw with its line, and what the script itself reports', async () => {
    expect(await world.call('demo.throws')).toMatchObject({
      error: { code: 'script_failed', message: expect.stringContaining('line 3') },
    });
    expect(await world.call('demo.reports')).toMatchObject({
      error: { code: 'tool_error', message: 'the board is empty' },
    });
  });

  it('a page that is left, and a tab that is closed, while a tool runs there', async () => {
    expect(code(await world.call('demo.leaves'))).toBe('tab_closed');
    const call = world.call('demo.stays');
    await expect.poll(() => world.site.hits.get('/started')).toBe(1);
    await world.browser.bidi.send('browsingContext.close', { context: await contextAt('/stays') });
    expect(code(await call)).toBe('tab_closed');
  });

  it('K-10 a destructive tool asks in a window of its own, and closing it is a no', async () => {
    const call = world.call('demo.danger');
    await world.browser.bidi.send('browsingContext.close', { context: await contextAt('approve.html') });
    expect(code(await call)).toBe('approval_denied');
  });

  it('a page that never ends, one that cannot be reached, and a site that was not allowed', async () => {
    expect(code(await world.call('demo.never'))).toBe('navigation_timeout');
    await setBase(`http://127.0.0.1:${await closedPort()}`);
    expect(await world.call('demo.visit', { page: 'x' })).toMatchObject({
      error: { code: 'page_error', message: expect.stringContaining('CONNECTION_REFUSED') },
    });
    await setBase('http://localhost:8080');
    expect(code(await world.call('demo.visit', { page: 'x' }))).toBe('permission_missing');
    await setBase(world.site.origin);
  });
});

describe('Firefox: the side panel', () => {
  const evaluate = async (context: string, expression: string): Promise<string> => {
    const answer = await world.browser.bidi.send('script.evaluate', {
      ...{ expression, awaitPromise: true, target: { context } },
    });
    return String((answer as { result?: { value?: unknown } }).result?.value);
  };
  const openAt = async (url: string): Promise<string> => {
    const { context } = await world.browser.bidi.send('browsingContext.create', { type: 'tab' });
    await world.browser.bidi.send('browsingContext.navigate', { context, url, wait: 'complete' });
    return String(context);
  };

  it('C-121 K-13 picks an element by the mouse, and leaves nothing in the page', async () => {
    const { bidi, origin } = world.browser;
    const page = await openAt(`${world.site.origin}/picker`);
    const panel = await openAt(`${origin}/sidepanel.html`);
    const query = `browser.tabs.query({ url: '${world.site.origin.replace(/:\d+$/, '')}/picker' })`;
    const tabId = await evaluate(panel, `${query}.then(([tab]) => tab.id)`);
    const url = `${origin}/sidepanel.html?tab=${tabId}`;
    await bidi.send('browsingContext.navigate', { context: panel, url, wait: 'complete' });
    // The panel may not be drawn yet, and a click on nothing chooses nothing.
    const choose = `(() => { const tab = document.querySelector('#tab-picker'); tab?.click(); return tab?.ariaSelected; })()`;
    await expect.poll(() => evaluate(panel, choose)).toBe('true');
    const press = `[...document.querySelectorAll('button')].find((one) => one.textContent.includes('Pick an'))`;
    await expect.poll(() => evaluate(panel, `${press} !== undefined`)).toBe('true');
    await bidi.send('browsingContext.activate', { context: page });
    await evaluate(panel, `${press}.click()`);
    const drawn = `document.querySelectorAll('[popover]').length`;
    await expect.poll(() => evaluate(page, drawn)).toBe('1');
    const box = `document.querySelector('form button').getBoundingClientRect()`;
    const [x, y] = JSON.parse(await evaluate(page, `JSON.stringify([${box}.x + 5, ${box}.y + 5].map(Math.round))`)) as [
      number,
      number,
    ];
    const mouse = [{ type: 'pointerMove', x, y }, ...['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }))];
    await bidi.send('input.performActions', {
      context: page,
      actions: [{ type: 'pointer', id: 'mouse', actions: mouse }],
    });
    await expect.poll(() => evaluate(panel, 'document.body.textContent')).toContain('[data-testid="save-button"]');
    await expect.poll(() => evaluate(page, drawn)).toBe('0');
    expect(await evaluate(page, 'window.heard.length')).toBe('0');
    for (const context of [page, panel]) await bidi.send('browsingContext.close', { context });
  });
});

describe('Firefox: recovery', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'the server ends by %s and starts again: the next call works',
    async (signal) => {
      await world.restartForge(signal);
      expect(result(await world.call('demo.heading', { page: 'plain' }))).toBe('Plain');
      expect(await browsers()).toHaveLength(1);
    },
  );
});
