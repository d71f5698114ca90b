import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deferred } from '../server/execution/testing/deferred.ts';
import { fakeLlm, type FakeLlm } from '../server/execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../server/execution/testing/fake-llm/script.ts';
import { accessibilityProblems } from './testing/accessibility.ts';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';
import { confirmAlways, confirmOnce } from './testing/confirm.ts';
import { photographPage } from './testing/extension-browser.ts';
import { startIssueDesk, type IssueDesk } from './testing/issue-desk.ts';
import { startTracker, TRACKER, type Tracker } from './testing/tracker.ts';

const JIRA = readFileSync(path.resolve(import.meta.dirname, '../connectors/jira/manifest.yaml'), 'utf8');
const LIST = turn.tools({ name: 'jira__list_my_issues' });
const comment = (text: string) => turn.tools({ name: 'jira__add_comment', args: { issue_key: 'ABC-1', text } });

let world: BrowserWorld;
let llm: FakeLlm;
let desk: IssueDesk;
let tracker: Tracker;
let endTracker = (): void => undefined;
/** Chat on Forge's own page, and in the side panel. */
let page: Page;
let panel: Page;
const problems: string[] = [];

beforeAll(async () => {
  [world, desk] = await Promise.all([startBrowserWorld(), startIssueDesk()]);
  tracker = await startTracker((end) => (endTracker = end));
  llm = await fakeLlm([turn.text('Hello.')], { atEnd: () => undefined });
  await world.install('jira', JIRA);
  await world.forge.call('PUT', '/api/connectors/jira/settings', { values: { base_url: desk.url } });
  await world.install('tracker', TRACKER);
  await world.forge.call('PUT', '/api/connectors/tracker/settings', { values: { base_url: tracker.url } });
  await world.forge.call('PUT', '/api/models', {
    providers: { anthropic: { api_key: 'sk-test', base_url: llm.url } },
    default_model: 'anthropic/fake-large',
  });
  page = await world.browser.context.newPage();
  confirmAlways(page);
  await page.goto(await world.forge.newLoginLink());
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
  await page.goto(`${world.forge.url}/chat`);
}, 120_000);

afterAll(async () => {
  await world.close();
  await llm.close();
  desk.close();
  endTracker();
});

const button = (name: string, on: Page = page) => on.getByRole('button', { name, exact: true });
const message = (on: Page) => on.getByRole('textbox', { name: 'Message', exact: true });
const card = (name: string, on: Page = page) => on.getByRole('button', { name: new RegExp(`^${name}`) }).last();
const said = (text: string, on: Page = page) => on.getByRole('list', { name: 'Messages' }).getByText(text);
const table = (on: Page) => on.getByRole('region', { name: 'Result table' });
const nextPage = (part: string): Promise<Page> =>
  world.browser.context.waitForEvent('page', (opened) => opened.url().includes(part));
const tabsInFront = async (): Promise<unknown> =>
  (await world.browser.worker()).evaluate(async () =>
    (await chrome.tabs.query({ active: true })).map(({ url }) => url ?? ''),
  );

/** The window closes while it is being clicked. */
async function answer(question: Page, name: 'Approve' | 'Deny'): Promise<void> {
  if (name === 'Approve') await question.locator('button.primary:enabled').waitFor();
  await question
    .getByRole('button', { name })
    .click()
    .catch(() => undefined);
}

async function ask(text: string, on: Page = page): Promise<void> {
  await on.bringToFront();
  await button('Send', on).waitFor();
  await message(on).fill(text);
  await on.keyboard.press('Enter');
}

describe('C-01 C-02 chat that works in the person’s own tabs', () => {
  it('C-24 whoever is logged out is led to the tab, logs in there, and the same question is answered with a table', async () => {
    llm.script([LIST, turn.text('You are not logged in.')]);
    await ask('Which issues are assigned to me?');
    await said('You are not logged in.').waitFor();
    expect(await card('jira.list_my_issues').textContent()).toContain('Needs you to log in');
    expect(llm.requests.at(-1)?.messages.at(-1)?.text).toContain('login_required');

    const login = world.browser.context.pages().find((opened) => opened.url().startsWith(`${desk.url}/login.jsp`));
    if (login === undefined) throw new Error('no tab with the login page is open');
    expect(await tabsInFront()).not.toContain(login.url());
    await button('Open the tab').click();
    await expect.poll(tabsInFront).toContain(login.url());
    await login.getByRole('button', { name: 'Log in' }).click();
    await login.getByRole('heading', { name: 'Issues' }).waitFor();

    llm.script([LIST, turn.text('You have two issues.')]);
    await page.bringToFront();
    await button('Retry this answer').click();
    await said('You have two issues.').waitFor();
    expect(await card('jira.list_my_issues').textContent()).toMatch(/2 rows/);
    await card('jira.list_my_issues').click();
    await table(page).getByRole('cell', { name: 'The export stops at 1,000 rows' }).waitFor();
    expect(await table(page).getByRole('link').first().getAttribute('href')).toBe(`${desk.url}/browse/ABC-1`);
  });

  it('C-37 K-10 a comment is written once the person has said yes in the browser’s own window', async () => {
    llm.script([comment('Fixed in 2.1'), turn.text('The comment is there.')]);
    const opened = nextPage('approve.html');
    await ask('Tell them that ABC-1 is fixed.');
    const question = await opened;
    await question.getByText('Fixed in 2.1').waitFor();
    // The same question waits in the conversation.
    await page.getByRole('group', { name: 'Approval' }).getByText('Fixed in 2.1').waitFor();
    expect(desk.comments).toEqual([]);
    await answer(question, 'Approve');
    await said('The comment is there.').waitFor();
    expect(desk.comments).toEqual(['ABC-1: Fixed in 2.1']);
  });

  it('a no in that window writes nothing, and the model is told', async () => {
    llm.script([comment('Never mind'), turn.text('I have not written anything.')]);
    const opened = nextPage('approve.html');
    await ask('Say never mind.');
    const question = await opened;
    await question.getByText('Never mind').waitFor();
    await answer(question, 'Deny');
    await said('I have not written anything.').waitFor();
    await said('You said no, so nothing was done.').waitFor();
    expect(llm.requests.at(-1)?.messages.at(-1)?.text).toContain('approval_denied');
    expect(desk.comments).toHaveLength(1);
  });
});

async function mayManage(allowed: boolean): Promise<void> {
  const { browsers } = (await (await world.forge.call('GET', '/api/browsers')).json()) as {
    browsers: { id: string }[];
  };
  await world.forge.call('POST', `/api/browsers/${String(browsers[0]?.id)}/manage`, { allowed });
}

/** Looks at the panel in its usual widths and in both colours, by eye and by axe. */
async function look(name: string): Promise<void> {
  // No picture of a colour that is on its way to another.
  await panel.emulateMedia({ reducedMotion: 'reduce' });
  for (const width of [320, 420]) {
    await panel.setViewportSize({ width, height: 720 });
    const needed = await panel.evaluate(() => document.documentElement.scrollWidth);
    expect([name, needed]).toEqual([name, width]);
  }
  expect(await photographPage(panel, `sidepanel-${name}-360`, { width: 360, height: 720 })).toBe(true);
  expect(await accessibilityProblems(panel)).toEqual([]);
  await panel.emulateMedia({ colorScheme: 'light' });
  expect(await accessibilityProblems(panel)).toEqual([]);
}

describe('C-01 K-54 chat in the side panel', () => {
  it('says what is missing until the person lets this browser have it, then opens by itself', async () => {
    panel = await world.browser.openPage('sidepanel.html');
    panel.on('pageerror', (error) => problems.push(error.message));
    panel.on('console', (line) => (line.type() === 'error' ? problems.push(line.text()) : undefined));
    await panel.getByText('that takes a yes of its own').waitFor();
    await look('refused');
    const settings = nextPage('/settings/browsers');
    await button('Open Settings → Browsers', panel).click();
    const opened = await settings;
    await opened.getByRole('switch', { name: /may change these settings/ }).click();
    await opened.bringToFront();
    expect(await confirmOnce(opened)).toMatch(/Let .* change Forge’s settings/);
    await panel.getByRole('heading', { name: 'New conversation' }).waitFor();
    await opened.close();
  });

  it('C-141 streams an answer with a table of the person’s own tab, and can be stopped', async () => {
    const { promise: held, resolve: release } = deferred();
    llm.script([
      { text: 'Let me look.', toolCalls: [{ name: 'jira__list_my_issues' }] },
      { text: ['You have **two** ', 'issues.'], beforeDelta: (index) => (index === 0 ? undefined : held) },
    ]);
    await ask('Which issues are assigned to me?', panel);
    await said('You have two', panel).waitFor();
    await button('Stop the answer', panel).waitFor();
    release();
    await said('You have two issues.', panel).waitFor();
    await card('jira.list_my_issues', panel).click();
    await table(panel).getByRole('cell', { name: 'Wrong month in the footer' }).waitFor();
    await look('answer');

    llm.script([
      {
        text: ['Once upon ', 'a time'],
        beforeDelta: (index) => (index === 0 ? undefined : new Promise(() => undefined)),
      },
    ]);
    await ask('Tell me a story.', panel);
    await said('Once upon', panel).waitFor();
    await button('Stop the answer', panel).click();
    await said('You stopped this answer.', panel).waitFor();
  });

  it('asks before it writes, on a card with the real arguments, while Forge’s own page shows the same', async () => {
    const session = new URL(panel.url()).hash.slice(1);
    expect(session).toMatch(/^\/chat\/sess_[0-9a-f]{12}$/);
    await page.goto(world.forge.url + session);
    await said('You stopped this answer.').waitFor();
    const args = { issue: 'ABC-12', text: 'Fixed in 2.1' };
    llm.script([turn.tools({ name: 'tracker__add_comment', args }), turn.text('The comment is there.')]);
    await ask('Tell them that ABC-12 is fixed.', panel);
    for (const each of [page, panel])
      await each.getByRole('group', { name: 'Approval' }).getByText('Fixed in 2.1').waitFor();
    await look('approval');
    expect(await button('Go to the latest', panel).count()).toBe(0);
    await panel.locator('#part-chat').evaluate((part) => (part.scrollTop = 0));
    await button('Go to the latest', panel).click();
    await button('Go to the latest', panel).waitFor({ state: 'detached' });
    expect(tracker.written).toEqual([]);
    await button('Approve', panel).click();
    for (const each of [page, panel]) await said('The comment is there.', each).waitFor();
    expect(tracker.written).toEqual(['/comments {"issue":"ABC-12","text":"Fixed in 2.1"}']);
  });

  it('keeps its conversation when it is closed, lists the others, and shows everything else in a tab', async () => {
    await panel.close();
    panel = await world.browser.openPage('sidepanel.html');
    await said('The comment is there.', panel).waitFor();
    await button('Conversations', panel).click();
    const listed = panel.getByRole('dialog', { name: 'Conversations' }).getByRole('link');
    await listed.nth(2).waitFor();
    // K-15: this one was begun here, the other on Forge's page.
    expect(await listed.filter({ hasText: ', extension' }).count()).toBe(1);
    await look('conversations');
    await panel.keyboard.press('Escape');
    await button('More about this conversation', panel).click();
    await button('Send reports to Telegram…', panel).click();
    await panel.getByText('No Telegram bot is set up yet.').waitFor();
    await look('telegram');
    const channels = nextPage('options.html#/watches?open=channels');
    await panel.getByRole('link', { name: 'Where reports go' }).click();
    await (await channels).getByRole('dialog', { name: 'Where reports go' }).getByLabel('Telegram bot token').waitFor();
    await (await channels).close();
    await panel.keyboard.press('Escape');
    const traced = nextPage('options.html#/activity/');
    await card('tracker.add_comment', panel).click();
    await panel.getByRole('link', { name: 'Trace of this call' }).click();
    await (await traced).getByRole('heading', { name: 'tracker.add_comment' }).waitFor();
    await (await traced).close();
    const opened = nextPage('options.html#/chat/sess_');
    await panel.getByRole('link', { name: 'Open chat in a full page' }).click();
    const full = await opened;
    await said('The comment is there.', full).waitFor();
    expect(panel.url()).toContain('sidepanel.html#/chat/sess_');
    llm.script([turn.text('In both.')]);
    await ask('Where am I?', full);
    for (const each of [full, panel]) await said('In both.', each).waitFor();
    await full.close();
  });

  it('takes a file along and exports, over the bridge alone', async () => {
    await panel.getByRole('link', { name: 'New conversation' }).click();
    await panel.getByRole('heading', { name: 'New conversation' }).waitFor();
    await panel.locator('input[type=file]').setInputFiles({
      ...{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The password is swordfish. äöü') },
    });
    await panel.getByRole('list', { name: 'Files' }).getByText('notes.txt').waitFor();
    llm.script([turn.text('I have read it. äöü')]);
    await ask('Read this.', panel);
    await said('I have read it. äöü', panel).waitFor();
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain('swordfish. äöü');
    await button('More about this conversation', panel).click();
    const [download] = await Promise.all([panel.waitForEvent('download'), button('Export as Markdown', panel).click()]);
    expect(download.suggestedFilename()).toBe('Read-this.md');
    expect(readFileSync(await download.path(), 'utf8')).toContain('I have read it. äöü');
  });

  it('ends when the person takes the permission back, and says what to do when the pairing is gone', async () => {
    await mayManage(false);
    // The next thing that happens would be told to the panel, which may no longer hear of it.
    llm.script([turn.text('Nobody listens.')]);
    await ask('Are you there?');
    // As a tab it listens only while it is in front; a real panel is beside the page.
    await panel.bringToFront();
    await panel.getByText('that takes a yes of its own').waitFor();
    await mayManage(true);
    await said('I have read it. äöü', panel).waitFor();
    const { browsers } = (await (await world.forge.call('GET', '/api/browsers')).json()) as {
      browsers: { id: string }[];
    };
    await world.forge.call('POST', `/api/browsers/${String(browsers[0]?.id)}/revoke`);
    await panel.getByText('Forge does not know this browser.').waitFor();
    await button('Connect', panel).waitFor();
    await look('revoked');
    expect(problems).toEqual([]);
  });
});
