import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deferred } from '../server/execution/testing/deferred.ts';
import { fakeLlm, type FakeLlm } from '../server/execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../server/execution/testing/fake-llm/script.ts';
import { accessibilityProblems } from './testing/accessibility.ts';
import { openBrowser, photograph } from './testing/browser.ts';
import { confirmAlways } from './testing/confirm.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { startTracker, TRACKER, type Tracker } from './testing/tracker.ts';

const HOSTILE = [
  '# Title <script>window.hacked = "script"</script>',
  `<img src=x onerror="window.hacked='img'"> ![picture](http://127.0.0.1:9/leak.png)`,
  '[click](javascript:window.hacked="link") [fine](https://example.test/page) <a href="javascript:1">x</a>',
  `<svg onload="window.hacked='svg'"></svg><iframe srcdoc="<script>parent.hacked='frame'</script>"></iframe>`,
  '```html\n<script>window.hacked = "code"</script>\n```',
].join('\n\n');

// Each piece that is held ends in a space: the server keeps back what could be the beginning of a secret.
const endings: (() => unknown)[] = [];
const atEnd = (end: () => unknown): void => void endings.unshift(end);
const problems: string[] = [];
let tracker: Tracker;
let llm: FakeLlm;
let dataDir: string;
let forge: ForgeProcess;
let context: BrowserContext;
let page: Page;

async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.on('pageerror', (error) => problems.push(error.message));
  opened.on('console', (message) => {
    // A connector without an icon is a 404 the page expects, and a server that is away cannot be reached.
    const isExpected = /404|428|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/;
    if (message.type() === 'error' && !isExpected.test(message.text())) problems.push(message.text());
  });
  return opened;
}

beforeAll(async () => {
  tracker = await startTracker(atEnd);
  llm = await fakeLlm([turn.text('Hello.')], { atEnd });
  dataDir = path.join(tempFolder(atEnd), 'data');
  forge = await startForgeProcess(dataDir, {}, atEnd);
  await forge.call('POST', '/api/connectors/install-local', { yaml: TRACKER });
  await forge.call('PUT', '/api/connectors/tracker/settings', { values: { base_url: tracker.url } });
  context = await (await openBrowser(atEnd)).newContext({ reducedMotion: 'reduce' });
  page = await openPage();
  confirmAlways(page);
  await page.goto(await forge.newLoginLink());
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
}, 120_000);

afterAll(async () => {
  for (const end of endings) await end();
});

const button = (name: string | RegExp, on: Page = page) => on.getByRole('button', { name, exact: true });
const message = (on: Page = page) => on.getByRole('textbox', { name: 'Message', exact: true });
const card = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).last();
const approval = () => page.getByRole('group', { name: 'Approval' });
/** In the conversation itself, not what a screen reader is told of it. */
const said = (text: string, on: Page = page) => on.getByRole('list', { name: 'Messages' }).getByText(text);
const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

async function ask(text: string, on: Page = page): Promise<void> {
  // Nothing is sent while an answer is being written.
  await button('Send', on).waitFor();
  await message(on).fill(text);
  await message(on).press('Enter');
}

async function look(name: string): Promise<void> {
  await photograph(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
  for (const width of [360, 720, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect([name, width, await fits()]).toEqual([name, width, true]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await accessibilityProblems(page)).toEqual([]);
}

describe('chat in the page', () => {
  it('E-05 without a model it says so and leads to Models, where a key is tested, saved and never shown again', async () => {
    await page.goto(`${forge.url}/chat`);
    await page.getByText('No model is set up yet').waitFor();
    await look('chat-no-model');
    await page.getByRole('link', { name: 'Set up a model' }).click();
    await button('Set up Anthropic').click();
    await page.getByLabel('API key').fill('sk-wrong');
    await page.getByText('Another address').click();
    await page.getByRole('textbox', { name: 'Base URL' }).fill(llm.url);
    llm.script([turn.unauthorized()]);
    await button('Test').click();
    await page.getByText('invalid x-api-key').waitFor();
    await page.getByText('Check the key under Settings → Models.').waitFor();
    await look('models-refused');
    llm.script([turn.text('OK')]);
    await page.getByLabel('API key').fill('sk-right');
    await button('Test').click();
    await page.getByText(/claude\S+ answers/).waitFor();
    await button('Save').click();
    await page.getByText('Anthropic saved.').waitFor();
    await page.getByText('2 models are offered').waitFor();
    expect(await page.getByRole('textbox', { name: 'API key' }).inputValue()).toMatch(/^•+$/);
    await page.getByLabel('Default model').selectOption('anthropic/fake-large');
    await page.getByText('Default model saved.').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Default model').inputValue()).toBe('anthropic/fake-large');
    expect(llm.requests.at(-1)?.headers['x-api-key']).toBe('sk-right');
    await button('Set the price of anthropic/fake-large').click();
    await page.getByLabel('Input').fill('3');
    await button('Save').click();
    await page.getByText('Both are needed.').waitFor();
    await page.getByLabel('Output').fill('15');
    await look('models');
    await button('Save').click();
    await page.getByText('$3 in, $15 out').waitFor();
  });

  it('C-01 D-12 C-141 lists issues through a tool: streamed, as a card with a table, with its trace and what it cost', async () => {
    llm.script([
      { text: 'Let me look.', toolCalls: [{ name: 'tracker__list_issues' }] },
      turn.text(
        'You have **two** issues:\n\n| Issue | Title |\n|---|---|\n| ABC-12 | The export stops |\n| ABC-17 | Wrong month |',
      ),
    ]);
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await message().press('Shift+Enter');
    expect(await message().inputValue()).toBe('\n');
    await ask('Which issues are assigned to me?');
    await page.getByRole('cell', { name: 'Wrong month' }).waitFor();
    await page.getByRole('heading', { name: 'Which issues are assigned to me?' }).waitFor();
    expect(page.url()).toMatch(/\/chat\/sess_[0-9a-f]{12}$/);
    expect(await card('tracker.list_issues').textContent()).toMatch(/\d (ms|s), 2 rows/);
    const announced = page.locator('[role=status].sr-only');
    await expect.poll(() => announced.textContent()).toMatch(/^Forge answered: Let me look/);
    await page.getByText(/^\d+ tokens, \$0\.\d{4}$/).waitFor();
    await card('tracker.list_issues').click();
    await page.getByRole('region', { name: 'Result table' }).getByText('The export stops at 1,000 rows').waitFor();
    await look('chat-answer');
    await page.getByRole('link', { name: 'Trace of this call' }).click();
    await page.getByRole('heading', { name: 'tracker.list_issues' }).waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: 'Wrong month' }).waitFor();
  });

  it('C-01 asks before it writes: a stray Enter does nothing, Approve runs it, Deny does not, and a conversation can be allowed', async () => {
    const write = (text: string) => turn.tools({ name: 'tracker__add_comment', args: { issue: 'ABC-12', text } });
    llm.script([write('Fixed in 2.1'), turn.text('The comment is there.')]);
    await ask('Tell them that ABC-12 is fixed.');
    await approval().getByText('Fixed in 2.1').waitFor();
    await message().press('Enter');
    await page.keyboard.press('Enter');
    await look('chat-approval');
    expect(await message().getAttribute('placeholder')).toBe('Needs you: answer the question above');
    await page.getByRole('link', { name: /Needs you/ }).waitFor();
    expect(tracker.written).toEqual([]);
    await button('Approve').click();
    await said('The comment is there.').waitFor();
    expect(tracker.written).toEqual(['/comments {"issue":"ABC-12","text":"Fixed in 2.1"}']);

    llm.script([write('Never mind'), turn.text('I have not written anything.')]);
    await ask('Say never mind.');
    await approval().getByText('Never mind').waitFor();
    await approval().getByRole('button', { name: 'Deny' }).click();
    await said('I have not written anything.').waitFor();
    expect(await card('tracker.add_comment').getAttribute('aria-expanded')).toBe('true');
    expect(tracker.written).toHaveLength(1);
    expect(llm.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool' });

    llm.script([write('one'), write('two'), turn.text('Both are there.')]);
    await ask('Write one and two.');
    await button('Approve for this conversation').click();
    await said('Both are there.').waitFor();
    expect(tracker.written.slice(1).map((line) => line.slice(-6, -2))).toEqual(['"one', '"two']);
  });

  it('stops mid-stream and says so; the answer can be asked for again', async () => {
    const never = new Promise<void>(() => undefined);
    llm.script([{ text: ['Once upon ', 'a time'], beforeDelta: (index) => (index === 0 ? undefined : never) }]);
    await ask('Tell me a story.');
    await said('Once upon').waitFor();
    await message().fill('Are you there?');
    await message().press('Enter');
    await page.getByText('Send it when the answer is there').waitFor();
    expect(await message().inputValue()).toBe('Are you there?');
    await button('Stop the answer').click();
    await said('You stopped this answer.').waitFor();
    llm.script([turn.text('Once upon a time there was an end.')]);
    await button('Answer again').click();
    await said('there was an end.').waitFor();
    expect(await said('You stopped this answer.').count()).toBe(0);
    await message().fill('');
  });

  it('keeps two tabs on one conversation in step, and edits what was said in both', async () => {
    const other = await openPage();
    await other.goto(page.url());
    await said('there was an end.', other).waitFor();
    const { promise: held, resolve: release } = deferred();
    llm.script([{ text: ['First half, ', 'second half.'], beforeDelta: (index) => (index === 0 ? undefined : held) }]);
    await ask('Are we in step?');
    for (const each of [page, other]) await said('First half', each).waitFor();
    await button('Stop the answer', other).waitFor();
    release();
    for (const each of [page, other]) await said('First half, second half.', each).waitFor();
    llm.script([turn.text('Edited, then.')]);
    await button('Edit and send again', other).last().click();
    await other.getByRole('textbox', { name: 'Edit your message' }).fill('Are we still in step?');
    await other.keyboard.press('Enter');
    for (const each of [page, other]) {
      await said('Edited, then.', each).waitFor();
      await said('Are we still in step?', each).waitFor();
      expect(await said('First half', each).count()).toBe(0);
    }
    await other.close();
  });

  it('E-39 survives a server that is killed mid-answer: reconnects, keeps what had come, and tells what happened', async () => {
    const never = new Promise<void>(() => undefined);
    llm.script([{ text: ['The first part. ', 'No more.'], beforeDelta: (index) => (index === 0 ? undefined : never) }]);
    await ask('Will you be interrupted?');
    await said('The first part').waitFor();
    const stored = async () =>
      (await forge.call('GET', `/api${new URL(page.url()).pathname.replace('chat', 'chat/sessions')}`)).text();
    await expect.poll(stored).toContain('The first part');
    forge.child.kill('SIGKILL');
    await forge.exited;
    await page.getByText('Forge does not answer.').waitFor();
    forge = await startForgeProcess(dataDir, { FORGE_PORT: new URL(forge.url).port }, atEnd);
    await said('Forge was stopped while it answered.').waitFor();
    await said('The first part').waitFor();
    await look('chat-interrupted');
    llm.script([turn.text('Here again.')]);
    await button('Answer again').click();
    await said('Here again.').waitFor();
  });

  it('C-141 a watch shows as a chip that counts up and moves no text, and its report comes into the conversation', async () => {
    llm.script([turn.tools({ name: 'tracker__start_build' }), turn.text('The build has begun.')]);
    await ask('Build it.');
    await said('The build has begun.').waitFor();
    const chip = (words: string) => page.getByRole('link', { name: `Background watch: ${words}` });
    await chip('Watching 0').waitFor();
    // The end of an answer brings a line of its own.
    await button('Send').waitFor();
    const place = await said('The build has begun.').boundingBox();
    const { watches } = (await (await forge.call('GET', '/api/watches')).json()) as { watches: { id: string }[] };
    // The shortest time between two polls is too long for a test; one that begins again polls at once.
    await forge.call('DELETE', `/api/watches/${String(watches[0]?.id)}`);
    await chip('Cancelled').waitFor();
    await forge.call('POST', `/api/watches/${String(watches[0]?.id)}/retry`);
    await chip('Building… 1/500 1').waitFor();
    expect(await said('The build has begun.').boundingBox()).toEqual(place);
    await button(/Background watches/).click();
    const panel = page.getByRole('region', { name: 'Background watches' });
    await panel.getByText('1 of 500 polls').waitFor();
    await look('chat-watch');
    await panel.getByRole('button', { name: /^Cancel/ }).click();
    await button('Cancel the watch').click();
    await chip('Cancelled').waitFor();
    llm.script([turn.text('Purple! All builds are gone.')]);
    tracker.finishBuild();
    await panel.getByRole('button', { name: /^Begin again/ }).click();
    const report = page.getByRole('article', { name: /^Report/ });
    await report.getByText('Build b7 is green.').waitFor();
    await report.getByText('In the model’s words: Purple! All builds are gone.').waitFor();
    await chip('Done').waitFor();
    await button('Close background watches').click();
  });

  it('renders hostile Markdown as words, and links that lead out without a way back', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    llm.script([turn.text([HOSTILE])]);
    await ask('Be evil.');
    const link = page.getByRole('link', { name: 'fine' });
    await link.waitFor();
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ]);
    expect(await page.getByRole('link', { name: 'click' }).count()).toBe(0);
    const answer = page.getByRole('article').last();
    expect(await answer.locator('img, script, iframe, svg:not([class*=lucide]), [onload], [onerror]').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(asked.filter((url) => !url.startsWith(forge.url))).toEqual([]);
  });

  it('takes a file along, is renamed, exported, found and deleted by keyboard', async () => {
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.locator('input[type=file]').setInputFiles({
      ...{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The password is swordfish.') },
    });
    await page.getByRole('list', { name: 'Files' }).getByText('notes.txt').waitFor();
    llm.script([turn.text('I have read it.')]);
    await ask('Read this.');
    await said('I have read it.').waitFor();
    expect(JSON.stringify(llm.requests.at(-1)?.messages)).toContain('swordfish');
    await button('More about this conversation').focus();
    for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
    await page.keyboard.type('Notes');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Notes' }).waitFor();
    await button('More about this conversation').click();
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export as Markdown').click()]);
    expect(download.suggestedFilename()).toBe('Notes.md');
    expect(readFileSync(await download.path(), 'utf8')).toContain('I have read it.');
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('link', { name: /^Notes/ })
      .focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Which issues are assigned to me?' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Notes' }).waitFor();
    await button('More about this conversation').click();
    await button('Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'New conversation' }).waitFor();
    await page.getByRole('link', { name: /^Notes/ }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});
