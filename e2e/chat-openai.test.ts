import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeLlm, type FakeLlm } from '../server/execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../server/execution/testing/fake-llm/script.ts';
import { openBrowser } from './testing/browser.ts';
import { confirmAlways } from './testing/confirm.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { startTracker, TRACKER, type Tracker } from './testing/tracker.ts';

const endings: (() => unknown)[] = [];
const atEnd = (end: () => unknown): void => void endings.unshift(end);
let tracker: Tracker;
let desk: Tracker;
let llm: FakeLlm;
let forge: ForgeProcess;
let page: Page;

async function install(id: string, { url }: Tracker): Promise<void> {
  const yaml = TRACKER.replace('id: tracker', `id: ${id}`);
  await forge.call('POST', '/api/connectors/install-local', { yaml });
  await forge.call('PUT', `/api/connectors/${id}/settings`, { values: { base_url: url } });
}

beforeAll(async () => {
  [tracker, desk] = [await startTracker(atEnd), await startTracker(atEnd)];
  llm = await fakeLlm([turn.text('Hello.')], { atEnd });
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: llm.url, OPENAI_MODEL: 'fake-large' };
  forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), env, atEnd);
  await install('tracker', tracker);
  await install('desk', desk);
  const context = await (await openBrowser(atEnd)).newContext({ reducedMotion: 'reduce' });
  page = await context.newPage();
  confirmAlways(page);
  await page.goto(await forge.newLoginLink());
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
}, 120_000);

afterAll(async () => {
  for (const end of endings) await end();
});

const card = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).last();
const said = (text: string) => page.getByRole('list', { name: 'Messages' }).getByText(text);

/** In a conversation of its own. */
async function ask(text: string): Promise<void> {
  await page.goto(`${forge.url}/chat`);
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.fill(text);
  await message.press('Enter');
}

describe('chat with a model that speaks as OpenAI’s do', () => {
  it('C-01 shows two tools that are called in one turn as two cards, each with what it found', async () => {
    llm.script([
      turn.tools({ name: 'tracker__list_issues', id: 'a' }, { name: 'desk__list_issues', id: 'b' }),
      turn.text('Both have two.'),
    ]);
    await ask('What is open in both?');
    await said('Both have two.').waitFor();
    for (const name of ['tracker.list_issues', 'desk.list_issues'])
      expect(await card(name).textContent()).toMatch(/\d (ms|s), 2 rows/);
    expect(llm.requests.at(-1)).toMatchObject({ protocol: 'openai-chat', model: 'fake-large' });
    const results = llm.requests.at(-1)!.messages.filter(({ role }) => role === 'tool');
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b']);
  });

  it('keeps the half of an answer that came before an error, and says why there is no more', async () => {
    llm.script([turn.overloaded('Half an answer and ')]);
    await ask('Tell me all.');
    await said('Half an answer and').waitFor();
    await said('Overloaded').waitFor();
    await said('Try again in a moment, or use another model.').waitFor();
    llm.script([turn.text('The whole of it.')]);
    await page.getByRole('button', { name: 'Answer again' }).click();
    await said('The whole of it.').waitFor();
    expect(await said('Half an answer and').count()).toBe(0);
  });

  it('answers after a 429, once the time is over that it names', async () => {
    const before = llm.requests.length;
    llm.script([turn.rateLimited({ 'Retry-After': '1' }), turn.text('Here I am.')]);
    await ask('Are you there?');
    await said('Here I am.').waitFor();
    expect(llm.requests.length - before).toBe(2);
  });

  it('says what to do when a conversation has become too long', async () => {
    llm.script([turn.contextOverflow('openai')]);
    await ask('Read everything.');
    await said('maximum context length is 128000 tokens').waitFor();
    await said('Start a new conversation, or ask for less at once.').waitFor();
  });

  it('D-12 says on the card that another site was read before, and offers no yes beyond the conversation', async () => {
    llm.script([
      turn.tools({ name: 'tracker__list_issues' }),
      turn.tools({ name: 'desk__add_comment', args: { issue: 'ABC-12', text: 'Copied' } }),
      turn.text('It is there.'),
    ]);
    await ask('Copy the first issue to the desk.');
    const approval = page.getByRole('group', { name: 'Approval' });
    await approval.getByText(`has read from ${new URL(tracker.url).host} before`).waitFor();
    expect(await approval.getByText('Allow for…').count()).toBe(0);
    expect(desk.written).toEqual([]);
    await approval.getByRole('button', { name: 'Approve', exact: true }).click();
    await said('It is there.').waitFor();
    expect(desk.written).toEqual(['/comments {"issue":"ABC-12","text":"Copied"}']);
  });

  it('E-05 offers a server of models on this computer, which then answers without a key', async () => {
    // Such servers have fixed ports, on which anything may listen where the test runs.
    await page.route('**/api/models', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const found = { name: 'Ollama', base_url: llm.baseUrl, models: ['fake-small'] };
      return route.fulfill({ response, json: { ...(await response.json()), local: [found] } });
    });
    await page.goto(`${forge.url}/settings/models`);
    await page.getByRole('button', { name: 'Use Ollama' }).click();
    await page.getByRole('button', { name: 'Use Ollama' }).waitFor({ state: 'detached' });
    await page.getByLabel('Default model').selectOption('openai-compatible/fake-small');
    await page.getByText('Default model saved.').waitFor();
    llm.script([turn.text('From this computer.')]);
    await ask('Where are you?');
    await said('From this computer.').waitFor();
    expect(llm.requests.at(-1)).toMatchObject({ protocol: 'openai-chat', model: 'fake-small' });
    expect(llm.requests.at(-1)?.headers.authorization).toBeUndefined();
  });
});
