import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './testing/accessibility.ts';
import { openBrowser, photograph } from './testing/browser.ts';
import { confirmAlways } from './testing/confirm.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';

const EVIL = `<img src=x onerror="window.hacked='img'">`;
const SECRET = 'sesame-open-4711';
const JOBS = readFileSync(path.resolve(import.meta.dirname, 'fixtures/jobs.yaml'), 'utf8');

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void endings.unshift(end);
let forge: ForgeProcess;
let browser: Browser;
let page: Page;
let port = 0;
let renamed = 0;
let jobAnswer: object = { done: false };
const problems: string[] = [];

/** A service with jobs; one that is called `missing` is not there. */
function startService(): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://service');
    if (pathname === '/rename') renamed += 1;
    const body = pathname === '/start' ? { id: 'j1' } : { ...jobAnswer, note: EVIL };
    // No connection is kept: one that ends just as it is used again would fail a poll, and the next is an hour away.
    response.writeHead(pathname === '/jobs/missing' ? 404 : 200, {
      'Content-Type': 'application/json',
      Connection: 'close',
    });
    response.end(JSON.stringify(body));
  });
}

beforeAll(async () => {
  const service = startService().listen(0, '127.0.0.1');
  atEnd(() => void service.close());
  await once(service, 'listening');
  const address = service.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
  await forge.call('POST', '/api/connectors/install-local', { yaml: JOBS });
  await forge.call('PUT', '/api/connectors/jobs/settings', {
    values: { base_url: `http://127.0.0.1:${port}`, token: SECRET },
  });
  browser = await openBrowser(atEnd);
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: forge.url });
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  // A call that is not in the log is a 404 that the page expects, and a question to the person a 428.
  page.on('console', (message) =>
    message.type() === 'error' && !/404|428/.test(message.text()) ? problems.push(message.text()) : undefined,
  );
  confirmAlways(page);
  await page.goto(await forge.newLoginLink());
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
}, 120_000);

afterAll(async () => {
  for (const end of endings) await end();
});

const open = (place: string) => page.goto(forge.url + place);
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const callTool = async (tool: string, args: object, caller = 'cursor') =>
  (await forge.call('POST', `/api/tools/jobs.${tool}/call`, { args, caller })).json() as Promise<
    Record<string, string>
  >;
const calls = () => page.getByRole('list', { name: 'Calls' }).getByRole('link');

/** Pictures for people, a look by axe in both colour schemes, and nothing that sticks out sideways. */
async function look(name: string): Promise<void> {
  await photograph(page, `settings-${name}`);
  for (const [colorScheme, width] of [
    ['dark', 320],
    ['light', 1600],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const fits = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
    expect([name, width, fits, await accessibilityProblems(page)]).toEqual([name, width, true, []]);
  }
}

describe('Activity', () => {
  it('says what to do when there is none, and shows a call the moment it ends', async () => {
    await open('/activity');
    await page.getByText('No tool was called yet').waitFor();
    await look('activity-empty');
    await callTool('look', { id: 'j7', note: EVIL });
    await calls().filter({ hasText: 'jobs.look' }).waitFor();
    await callTool('look', { id: 'missing' }, 'claude-desktop');
    await calls().filter({ hasText: 'claude-desktop' }).waitFor();
    await callTool('look', { id: 'j5', note: 'long words '.repeat(60) }, 'an assistant with a long name '.repeat(3));
    await calls().filter({ hasText: 'long words' }).waitFor();
    expect(await calls().count()).toBe(3);
    await calls().filter({ hasText: 'Service refused' }).waitFor();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  });

  it('filters and searches, keeps it in the address, and opens one with its trace and without the secret', async () => {
    await page.getByLabel('Outcome').selectOption('error');
    await expect.poll(() => calls().count()).toBe(1);
    await page.getByLabel('Outcome').selectOption('');
    await expect.poll(() => calls().count()).toBe(3);
    await page.keyboard.press('/');
    await page.keyboard.type('j7');
    await expect.poll(() => calls().allInnerTexts()).toEqual([expect.stringContaining('jobs.look')]);
    await page.waitForURL(/search=j7/);
    await page.reload();
    await expect.poll(() => calls().count()).toBe(1);
    await calls().first().focus();
    await page.keyboard.press('Enter');
    const beside = page.getByRole('region', { name: 'Call', exact: true });
    await beside.getByRole('heading', { name: 'jobs.look' }).waitFor();
    await beside.getByText(/^http:\/\/127\.0\.0\.1:\d+\/jobs\/j7/).waitFor();
    await beside.getByRole('table', { name: 'Headers of the response' }).getByText('application/json').waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await look('activity-call');
    expect(await calls().first().getAttribute('aria-current')).toBe('true');
    await page.keyboard.press('Escape');
    await beside.waitFor({ state: 'hidden' });
    await page.waitForURL(`${forge.url}/activity?search=j7`);
    expect(await calls().count()).toBe(1);
    // Where there is no room beside the list, a call takes its place, and the way back leads to what was searched for.
    await page.setViewportSize({ width: 1000, height: 800 });
    await calls().first().click();
    await page.getByRole('heading', { name: 'jobs.look', level: 1 }).waitFor();
    expect(await calls().count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: 'Activity' }).click();
    await expect.poll(() => calls().count()).toBe(1);
    await page.setViewportSize({ width: 1600, height: 800 });
    await calls().first().click();
    await beside.getByRole('button', { name: 'Close' }).click();
    await beside.waitFor({ state: 'hidden' });
    const hasFocus = () =>
      calls()
        .first()
        .evaluate((link) => link === document.activeElement);
    await expect.poll(hasFocus).toBe(true);
    await open('/activity?search=nothing+like+this');
    await button('Show all calls').click();
    await expect.poll(() => calls().count()).toBe(3);
    await open('/activity/call_none');
    await page.getByText('There is no such call in the log').waitFor();
    await look('activity-error');
    await page.getByRole('link', { name: 'Activity' }).first().click();
    await calls().first().waitFor();
  });

  it('K-10 asks on top: no stray key says yes, a no sends nothing, a yes lets the same call through once', async () => {
    const card = page.getByRole('group', { name: 'Approval' });
    const approve = card.getByRole('button', { name: 'Approve', exact: true });
    expect(await callTool('rename', { id: 'j7', name: 'Cleo' })).toMatchObject({ approval_id: expect.any(String) });
    await card.getByText('Cleo').waitFor();
    await expect.poll(() => page.title()).toBe('(1) Activity – Forge');
    await card.getByRole('heading', { name: `Rename a job on 127.0.0.1:${port}` }).waitFor();
    await card.getByText('jobs: rename changes something.', { exact: false }).waitFor();
    for (let times = 0; times < 5; times += 1) await page.keyboard.press('Enter');
    await expect.poll(() => approve.isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
    await look('activity-approval');
    await expect.poll(() => approve.isEnabled()).toBe(true);
    await card.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied. Nothing was sent.').waitFor();
    await card.waitFor({ state: 'hidden' });
    await calls().filter({ hasText: 'Cleo' }).getByText('Denied').waitFor();
    await callTool('rename', { id: 'j7', name: 'Dora' });
    await card.getByText('Dora').waitFor();
    await expect.poll(() => approve.isEnabled()).toBe(true);
    await approve.focus();
    await page.keyboard.press('Enter');
    await card.waitFor({ state: 'hidden' });
    const before = renamed;
    expect([await callTool('rename', { id: 'j7', name: 'Dora' }), before, renamed]).toMatchObject([{ ok: true }, 0, 1]);
    await calls().filter({ hasText: 'Done, approved' }).waitFor();
    expect(await calls().filter({ hasText: 'Dora' }).count()).toBe(1);
  });

  it('allows for longer within limits, shows them, and takes it back', async () => {
    const card = page.getByRole('group', { name: 'Approval' });
    await callTool('rename', { id: 'j8', name: 'Emil' });
    await card.getByText('Emil').waitFor();
    await card.getByText('Allow for…').click();
    await card.getByLabel('At most').selectOption('5 calls');
    await card.getByLabel('Only the same id').check();
    await look('activity-allow');
    await expect.poll(() => button('Approve this and the next 5').isEnabled()).toBe(true);
    await button('Approve this and the next 5').click();
    await page.getByText(/5 more calls, until .*, only id: j8/).waitFor();
    await callTool('rename', { id: 'j8', name: 'Emil' });
    expect(await callTool('rename', { id: 'j8', name: 'Finn' })).toMatchObject({ ok: true });
    expect(await callTool('rename', { id: 'j9', name: 'Finn' })).toMatchObject({ approval_id: expect.any(String) });
    await page.getByText(/4 more calls/).waitFor();
    await look('activity');
    await button('Take back jobs.rename').click();
    await page.getByText(/4 more calls/).waitFor({ state: 'hidden' });
    expect(await callTool('rename', { id: 'j8', name: 'Gus' })).toMatchObject({ approval_id: expect.any(String) });
  });

  it('exports what is shown as JSON Lines, and says whether the log is as it was written', async () => {
    await open('/activity?caller=claude-desktop');
    await calls().first().waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export').click()]);
    expect(download.suggestedFilename()).toMatch(/^forge-calls-[\d-]+\.jsonl$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ caller: 'claude-desktop' }]);
    await button('Check the log').click();
    await page.getByText(/All \d+ entries are as Forge wrote them/).waitFor();
    await page.getByRole('button', { name: 'Remove the filter Asked by claude-desktop' }).click();
    await expect.poll(() => calls().count()).toBeGreaterThan(5);
    await look('activity-checked');
  });
});

describe('K-49 Clients', () => {
  it('is added with limits, its token is shown once and works within them, then the limits change and it is revoked', async () => {
    await open('/settings/clients');
    await page.getByText('No client is set up').waitFor();
    await look('clients-empty');
    await page.getByRole('button', { name: 'Add a client' }).first().click();
    await page.getByRole('radio', { name: 'Cursor' }).check();
    expect(await page.getByLabel('Name').inputValue()).toBe('cursor');
    await page.getByLabel('Name').fill('<b>');
    await button('Add').click();
    await page.getByText('Use up to 60 letters').waitFor();
    await page.getByLabel('Name').fill('My laptop');
    await page.getByRole('radio', { name: 'Only these' }).check();
    await page.getByRole('checkbox', { name: 'Jobs' }).check();
    await page.getByRole('checkbox', { name: 'Read only' }).check();
    await look('clients-add');
    await button('Add').click();
    const lines = page.getByRole('region', { name: 'Lines for Cursor' });
    await button('Copy').click();
    await page.getByText('Copied.', { exact: true }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await lines.innerText());
    const { mcpServers } = JSON.parse(copied) as {
      mcpServers: { forge: { url: string; headers: Record<string, string> } };
    };
    const { url, headers } = mcpServers.forge;
    expect(url).toBe(`${forge.url}/mcp`);
    await look('clients-token');
    await page.keyboard.press('Escape');
    await page.getByText('You will not see this token again').waitFor();
    for (const name of ['Claude Desktop', 'Claude Code', 'VS Code', 'Other']) {
      await button(name).click();
      await page.getByRole('region', { name: `Lines for ${name}` }).waitFor();
    }
    await button('Done').click();
    const list = (): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    const tools = JSON.stringify(await (await list()).json());
    expect([tools.includes('jobs__look'), tools.includes('jobs__rename')]).toEqual([true, false]);

    const entry = page.getByRole('list', { name: 'Clients' });
    await entry.getByText('Only jobs, read only').waitFor();
    await page.reload();
    await entry.getByText('Last seen just now').waitFor();
    expect(await page.content()).not.toContain('fmc_');
    await look('clients');
    await button('Limits of My laptop').click();
    await page.getByRole('radio', { name: 'All of them' }).check();
    await button('Save').click();
    await entry.getByText('All connectors, read only').waitFor();
    await button('Revoke My laptop').click();
    await page.getByRole('dialog', { name: 'Revoke My laptop?' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No client is set up').waitFor();
    expect((await list()).status).toBe(401);
  });
});

describe('C-137 Watches', () => {
  it('appear as they start, are cancelled, begun again, and tell how they ended', async () => {
    await open('/watches');
    await page.getByText('Nothing was watched yet').waitFor();
    await look('watches-empty');
    await callTool('start', { name: 'lamp' });
    const list = page.getByRole('list', { name: 'Watches' });
    await list.getByText('Watching').waitFor();
    await list.getByText(/0 of \d+ polls, next poll in (1 h|60 min|59 min)/).waitFor();
    await look('watches');
    await list.getByRole('link').click();
    const beside = page.getByRole('region', { name: 'Watch', exact: true });
    await beside.getByText('It was not polled yet.').waitFor();
    await beside.getByRole('button', { name: /^Cancel/ }).click();
    await button('Cancel the watch').click();
    await beside.getByText('A person has cancelled it').waitFor();
    await look('watch-cancelled');
    await beside.getByRole('button', { name: /^Begin again/ }).click();
    await beside.getByText('Not yet', { exact: true }).waitFor();
    await beside.getByText('Building, 1 of').waitFor();
    await beside.getByRole('button', { name: /^Cancel/ }).click();
    await button('Cancel the watch').click();
    jobAnswer = { done: true, build: 7 };
    await beside.getByRole('button', { name: /^Begin again/ }).click();
    await beside.getByText('Done: build 7.').waitFor();
    await beside.getByText('The poll says that it is done').waitFor();
    await beside.getByText('Result', { exact: true }).first().click();
    await look('watch-done');
    expect(await page.getByRole('button', { name: /^(Cancel|Begin again|Poll now)/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'The call', exact: true }).first().click();
    await page.getByRole('heading', { name: 'jobs.start' }).waitFor();
  });
});

it('C-140 nothing of it ran as a script, and the page’s policy was never broken', async () => {
  expect(await page.evaluate(() => (window as { hacked?: string }).hacked)).toBeUndefined();
  expect(problems).toEqual([]);
});
