import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowserWorld, type BrowserWorld, type ToolAnswer } from './testing/browser-world.ts';
import { startSite } from './testing/site.ts';

let world: BrowserWorld;

const read = (file: string): string => readFileSync(path.resolve(import.meta.dirname, file), 'utf8');
/** One tool for each thing that a page or a script can do. */
const DEMO = read('fixtures/browser-demo.yaml');

beforeAll(async () => {
  world = await startBrowserWorld();
  await world.install('demo', DEMO);
  await world.install('jira', read('../connectors/jira/manifest.yaml'));
  await world.forge.call('PUT', '/api/connectors/demo/settings', {
    values: { base_url: world.site.origin, token: 'never-leaves-the-server' },
  });
}, 120_000);

afterAll(async () => world.close());

const result = ({ error, result: value }: ToolAnswer): unknown => error ?? value;
const code = ({ error }: ToolAnswer): string | undefined => error?.code;
/** A call whose caller may go away. */
const callUntil = (signal: AbortSignal, tool: string, args: object): Promise<Response> =>
  fetch(`${world.forge.url}/api/tools/${tool}/call`, {
    method: 'POST',
    headers: { 'X-Forge-Token': world.forge.token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ args }),
    signal,
  });
const nextApproval = (): Promise<Page> =>
  world.browser.context.waitForEvent('page', (page) => page.url().includes('approve.html'));

/** How soon a browser returns to a new server is shown elsewhere (browser-recovery.test.ts). */
const browserIsBack = (): Promise<void> =>
  expect.poll(async () => (await world.forge.call('GET', '/api/browsers')).text()).toContain('"connected":true');

describe('C-02 D-11 D-14 tools in a tab', () => {
  it.each([
    ['plain', 'Plain'],
    ['csp', 'Strict'],
    ['trusted-types', 'Trusted'],
    ['sandbox', 'Sandbox'],
    ['slow', 'Slow'],
  ])('C-18 C-45 C-53 a %s page, in its own world and beside it', async (page, heading) => {
    expect(result(await world.call('demo.heading', { page }))).toBe(heading);
    expect(result(await world.call('demo.heading_isolated', { page }))).toEqual({
      heading,
      greeting: 'Hello',
      token: null,
    });
  });

  it('C-24 C-33 follows redirects to their end, and knows a login page', async () => {
    expect(result(await world.call('demo.visit', { page: 'chain' }))).toBe('/plain?arrived');
    expect(await world.call('demo.visit', { page: 'private' })).toMatchObject({
      ok: false,
      error: { code: 'login_required', message: expect.stringContaining(world.site.origin) },
    });
  });

  it('C-34 C-35 skips the navigation only where on_target says so', async () => {
    expect(result(await world.call('demo.spa'))).toBe('/spa/board/7');
    const visits = world.site.hits.get('/spa');
    expect(result(await world.call('demo.spa'))).toBe('/spa/board/7');
    expect(world.site.hits.get('/spa')).toBe(visits);
    await world.call('demo.visit', { page: 'plain' });
    const before = world.site.hits.get('/plain') ?? 0;
    await world.call('demo.visit', { page: 'plain' });
    expect(world.site.hits.get('/plain')).toBe(before + 1);
  });

  it('frames, open shadow roots and a virtualised list of 5,000 rows', async () => {
    expect(result(await world.call('demo.frame'))).toBe('Inner');
    expect(result(await world.call('demo.shadow'))).toEqual(['found']);
    expect(result(await world.call('demo.virtual'))).toEqual({ count: 5000, last: true });
  });

  it('forge.scroll collects one value for each row, in order, and forge.waitFor waits for what comes late', async () => {
    const { ok, handle } = await world.call('demo.collects');
    expect(ok).toBe(true);
    const rows = (await (
      await world.forge.call('GET', `/api/results/${handle}?offset=4990&limit=10`)
    ).json()) as object;
    expect(rows).toMatchObject({ items: Array.from({ length: 10 }, (_, index) => 4990 + index) });
    expect(result(await world.call('demo.waits'))).toBe('came late');
    expect(await world.call('demo.waits_in_vain')).toMatchObject({
      error: { code: 'script_failed', message: expect.stringContaining('nothing matched #late within 300 ms') },
    });
  });

  it('a result of ten megabytes comes as a head and a handle, and can be read in pages', async () => {
    const { ok, handle } = await world.call('demo.large');
    expect(ok).toBe(true);
    const page = await (await world.forge.call('GET', `/api/results/${handle}?offset=99990&limit=5`)).json();
    expect(JSON.stringify(page)).toContain('99994');
  });

  it('C-45 C-46 the person’s HttpOnly cookies go with a fetch to the same site', async () => {
    expect(result(await world.call('demo.who'))).toEqual({ cookie: 'sid=secret' });
  });

  it('C-41 C-42 K-05 arguments are text wherever they stand', async () => {
    const text = `'; alert(1) // {settings.token} \${x} \`"\n`;
    expect(result(await world.call('demo.echo', { text }))).toEqual([text, text, text]);
  });
});

describe('failures told apart', () => {
  it('C-48 C-49 a throw with its line, and what the script itself reports', async () => {
    expect(await world.call('demo.throws')).toMatchObject({
      error: { code: 'script_failed', message: expect.stringContaining('line 3') },
    });
    expect(await world.call('demo.reports')).toMatchObject({
      error: { code: 'tool_error', message: 'the board is empty' },
    });
  });

  it('a page that never ends, and one that cannot be reached', async () => {
    await world.call('demo.visit', { page: 'plain' });
    expect(code(await world.call('demo.never'))).toBe('navigation_timeout');
    const addresses = () => world.browser.context.pages().map((page) => page.url());
    await expect.poll(addresses).not.toContain(`${world.site.origin}/never`);
    await world.forge.call('PUT', '/api/connectors/demo/settings', { values: { base_url: 'http://127.0.0.1:1' } });
    expect(code(await world.call('demo.visit', { page: 'x' }))).toBe('page_error');
    await world.forge.call('PUT', '/api/connectors/demo/settings', { values: { base_url: 'http://localhost:1' } });
    expect(await world.call('demo.visit', { page: 'x' })).toMatchObject({
      error: { code: 'permission_missing', message: expect.stringContaining('http://localhost') },
    });
    await world.forge.call('PUT', '/api/connectors/demo/settings', { values: { base_url: world.site.origin } });
  });

  it('W-15 files are saved by the server', async () => {
    const { result: value } = await world.call('demo.file');
    expect(value).toMatchObject({ _files: [{ filename: 'report.txt', size_bytes: 12 }] });
  });
});

describe('several calls', () => {
  it('W-21 on one tab they run one after the other, each once', async () => {
    await world.call('demo.order');
    const answers = await Promise.all([1, 2, 3, 4].map((n) => world.call('demo.slow', { n })));
    expect(answers.map(result)).toEqual([1, 2, 3, 4].map((n) => [1, n]));
    // Requests over connections of their own may overtake each other; extension.test.ts shows the order on one.
    const order = result(await world.call('demo.order')) as number[];
    expect(order.toSorted()).toEqual([1, 2, 3, 4]);
  });

  it('W-21 many calls of a script that waits for nothing: each gets its own answer, also beside one that throws and one that waits', async () => {
    const [, before] = result(await world.call('demo.quick', { n: 0 })) as [number, number];
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => world.call('demo.quick', { n })));
    expect(answers[7]?.error).toMatchObject({ code: 'script_failed', message: expect.stringContaining('line 2') });
    expect(result(answers[21] as ToolAnswer)).toBe('late');
    const others = answers.filter((_, n) => n !== 7 && n !== 21).map(result) as [number, number][];
    expect(others.map(([n]) => n)).toEqual(Array.from({ length: 40 }, (_, n) => n).filter((n) => n !== 7 && n !== 21));
    expect(new Set(others.map(([, runs]) => runs)).size).toBe(38);
    expect(result(await world.call('demo.quick', { n: 0 }))).toEqual([0, before + 41]);
  });

  it('W-21 callers who go away cost those beside them nothing', async () => {
    await world.call('demo.quick', { n: 0 });
    const controllers = Array.from({ length: 10 }, () => new AbortController());
    const leaving = controllers.map(async ({ signal }) => callUntil(signal, 'demo.quick', { n: 1 }));
    const staying = Array.from({ length: 30 }, (_, n) => world.call('demo.quick', { n: n + 30 }));
    for (const controller of controllers) {
      await Promise.race(staying);
      controller.abort();
    }
    await Promise.allSettled(leaving);
    const answers = (await Promise.all(staying)).map(result) as [number, number][];
    expect(answers.map(([n]) => n)).toEqual(Array.from({ length: 30 }, (_, n) => n + 30));
  });

  it('W-12 a persistent tab is opened once and kept for the next call', async () => {
    const before = world.browser.context.pages().length;
    expect(result(await world.call('demo.keeps'))).toBe(1);
    expect(result(await world.call('demo.keeps'))).toBe(2);
    expect(world.browser.context.pages()).toHaveLength(before + 1);
  });

  it('W-12 eight tabs at once, and none is left', async () => {
    const before = world.browser.context.pages().length;
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => world.call('demo.apart', { n, of: 8 })));
    expect(answers.map(result)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await expect.poll(() => world.browser.context.pages().length).toBe(before);
  });

  it('a caller who goes away ends the script’s call, and the next one works', async () => {
    const controller = new AbortController();
    const gone = callUntil(controller.signal, 'demo.forever', {});
    await expect.poll(() => world.site.hits.get('/mark/forever'), { interval: 20 }).toBe(1);
    controller.abort();
    await expect(gone).rejects.toThrow();
    await expect
      .poll(async () => {
        const { calls } = (await (await world.forge.call('GET', '/api/calls?limit=5')).json()) as {
          calls: { tool_id: string; code: string | null }[];
        };
        return calls.find(({ tool_id }) => tool_id === 'demo.forever')?.code;
      })
      .toBe('cancelled');
    expect(result(await world.call('demo.heading', { page: 'plain' }))).toBe('Plain');
  });
});

describe('which tab', () => {
  it('W-18 a port in host_match counts, also where both ports are open', async () => {
    const other = await startSite();
    const page = await world.browser.context.newPage();
    await page.goto(`${other.origin}/plain`);
    expect(result(await world.call('demo.where'))).toBe(world.site.origin);
    await page.close();
    await other.close();
  });

  it('a tab that the browser has put to sleep is woken first', async () => {
    await world.call('demo.visit', { page: 'plain' });
    const discarded = await (
      await world.browser.worker()
    ).evaluate(async () => {
      const tabs = await chrome.tabs.query({ active: false, url: 'http://127.0.0.1/plain*' });
      const done = await Promise.all(tabs.map(({ id }) => chrome.tabs.discard(id)));
      return done.filter((tab) => tab?.discarded === true).length;
    });
    expect(discarded).toBeGreaterThan(0);
    expect(result(await world.call('demo.heading', { page: 'plain' }))).toBe('Plain');
  });
});

describe('C-39 the JIRA sample, unchanged', () => {
  it('lists my issues', async () => {
    expect(result(await world.call('jira.list_my_issues'))).toEqual(
      ['ABC-1', 'ABC-2'].map((key) => ({
        key,
        title: `Fix ${key}`,
        status: 'Open',
        link: `${world.site.origin}/browse/${key}`,
      })),
    );
  });

  it('reads a list as its fixture has it', async () => {
    const { context } = world.browser;
    const {
      html,
      args,
      result: wanted,
    } = JSON.parse(read('../connectors/jira/fixtures/list_my_issues.json')) as {
      html: string;
      args: Record<string, unknown>;
      result: unknown;
    };
    await world.call('jira.list_my_issues');
    // The tab that shows the list is used as it is.
    const tab = context.pages().find((page) => page.url().includes('/issues/'));
    await tab?.evaluate((text) => (document.body.innerHTML = text), html);
    expect(result(await world.call('jira.list_my_issues', args))).toEqual(wanted);
    await tab?.reload();
  });

  it('C-37 K-10 adds a comment once a person has said yes in the extension’s own window', async () => {
    await world.call('demo.who');
    const opened = nextApproval();
    const call = world.call('jira.add_comment', { issue_key: 'ABC-1', text: 'Looks fine to me' });
    const prompt = await opened;
    await prompt.getByText('Looks fine to me').waitFor();
    const { host } = new URL(world.site.origin);
    await prompt.getByRole('heading', { name: `Add a comment to a JIRA issue on ${host}` }).waitFor();
    await prompt.locator('button.primary:enabled').waitFor();
    await prompt
      .getByRole('button', { name: 'Approve' })
      .click()
      .catch(() => undefined);
    expect(result(await call)).toEqual({ ok: true });
  });

  it('denied, closed and ignored are a no, and nothing runs', async () => {
    const before = world.site.hits.get('/rest/api/2/issue/ABC-1/comment');
    const ask = async (): Promise<{ prompt: Page; call: Promise<ToolAnswer> }> => {
      const opened = nextApproval();
      const call = world.call('jira.add_comment', { issue_key: 'ABC-1', text: 'no' });
      const prompt = await opened;
      await prompt.getByRole('button', { name: 'Deny' }).waitFor();
      return { prompt, call };
    };
    const denied = await ask();
    await denied.prompt
      .getByRole('button', { name: 'Deny' })
      .click()
      .catch(() => undefined);
    expect(code(await denied.call)).toBe('approval_denied');
    const closed = await ask();
    await closed.prompt.close();
    expect(code(await closed.call)).toBe('approval_denied');
    await world.restartForge('SIGTERM', { FORGE_APPROVAL_SECONDS: '2' });
    await browserIsBack();
    const ignored = await ask();
    expect(code(await ignored.call)).toBe('approval_expired');
    await expect.poll(() => ignored.prompt.isClosed()).toBe(true);
    expect(world.site.hits.get('/rest/api/2/issue/ABC-1/comment')).toBe(before);
    await world.restartForge('SIGTERM');
    await browserIsBack();
  });

  it('C-120 an edited manifest counts on the next call', async () => {
    const edited = DEMO.replace('"1.0.0"', '"1.0.1"').replace(
      "document.querySelector('h1')?.textContent ?? null\n",
      "'edited'\n",
    );
    await world.forge.call('PUT', '/api/connectors/demo/manifest', { yaml: edited });
    expect(result(await world.call('demo.heading', { page: 'plain' }))).toBe('edited');
  });
});

describe('C-108 C-112 the Test button', () => {
  it('opens a tab, and says whether a person is logged in', async () => {
    const probe = `${DEMO.replace('id: demo', 'id: probed')}test: { probe: browser }\n`;
    await world.install('probed', probe);
    const test = async () => (await world.forge.call('POST', '/api/connectors/probed/test')).json();
    expect(await test()).toMatchObject({ ok: true, url: expect.stringContaining(world.site.origin) });
  });
});
