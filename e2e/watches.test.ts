import path from 'node:path';
import type { Page } from 'playwright';
import { expect, it, onTestFinished } from 'vitest';
import { fakeLlm } from '../server/execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../server/execution/testing/fake-llm/script.ts';
import { openDatabase } from '../server/store/database.ts';
import { fakeTelegram } from '../server/watches/testing/fake-telegram.ts';
import { accessibilityProblems } from './testing/accessibility.ts';
import { openBrowser } from './testing/browser.ts';
import { confirmAlways } from './testing/confirm.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { startTracker, TRACKER } from './testing/tracker.ts';

const BOT_TOKEN = '12:canary-telegram-token';
const ANNA = { id: 4711, type: 'private', first_name: 'Anna' } as const;

/** Opens the dialog by keyboard, as the fourth entry of the conversation's menu. */
async function openTelegram(page: Page) {
  await page.getByRole('button', { name: 'More about this conversation' }).focus();
  for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  const dialog = page.getByRole('dialog', { name: 'Send reports to Telegram' });
  await dialog.waitFor();
  return dialog;
}

/** A conversation is linked with a Telegram chat, and unlinked again; whoever shows it is told. */
async function linkTelegram(page: Page, bot: Awaited<ReturnType<typeof fakeTelegram>>): Promise<void> {
  const dialog = await openTelegram(page);
  const code = (await dialog.locator('.code code').textContent()) ?? '';
  const place = `https://t.me/forge_test_bot?start=${code}`;
  expect(await dialog.getByRole('link', { name: 'Open the bot in Telegram' }).getAttribute('href')).toBe(place);
  await dialog.getByRole('button', { name: 'Check now' }).click();
  await dialog.getByText('The code has not come yet.').waitFor();
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  }
  bot.hasWebhook = true;
  await dialog.getByRole('alert').getByText('while webhook is active').waitFor();
  bot.hasWebhook = false;
  bot.say(ANNA, `/start ${code}`);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  // Nobody has to press anything for this.
  await dialog.getByText('Reports of this conversation go to “Anna” on Telegram.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'More about this conversation',
  );
  await page.getByText(/tokens, reports go to Telegram$/).waitFor();
  await page
    .getByRole('navigation', { name: 'Conversations' })
    .getByText(/, Telegram$/)
    .waitFor();
  await (await openTelegram(page)).getByRole('button', { name: 'Unlink' }).click();
  await dialog.getByText('Reports of this conversation no longer go to Telegram.').waitFor();
  await page.getByText('reports go to Telegram').waitFor({ state: 'detached' });
}

/** Half a minute passes while Forge is off: what is watched is due when it starts again. */
async function letTimePass(dataDir: string): Promise<void> {
  const db = await openDatabase(path.join(dataDir, 'forge.db'));
  db.prepare('UPDATE watches SET next_at = next_at - 30000 WHERE next_at IS NOT NULL').run();
  db.close();
}

it('C-123 C-136 C-137 C-141 K-15 a job started in chat outlives two crashes: the chip counts up, the message comes once, another is cancelled; where reports go is chosen, and Telegram linked', async () => {
  const tracker = await startTracker(onTestFinished);
  const llm = await fakeLlm([
    turn.tools({ name: 'tracker__start_build' }),
    turn.text('The first build has begun.'),
    turn.tools({ name: 'tracker__start_build' }),
    turn.text('The second build has begun.'),
  ]);
  const dataDir = path.join(tempFolder(), 'data');
  const env = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url };
  let forge: ForgeProcess = await startForgeProcess(dataDir, env);
  const crash = async (): Promise<void> => {
    forge.child.kill('SIGKILL');
    await forge.exited;
    await letTimePass(dataDir);
    forge = await startForgeProcess(dataDir, { ...env, FORGE_PORT: new URL(forge.url).port });
  };
  await forge.call('POST', '/api/connectors/install-local', { yaml: TRACKER });
  await forge.call('PUT', '/api/connectors/tracker/settings', { values: { base_url: tracker.url } });
  const page = await (await openBrowser()).newPage({ reducedMotion: 'reduce' });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  confirmAlways(page);
  await page.goto(await forge.newLoginLink());
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
  await page.goto(`${forge.url}/chat`);

  const chips = (words: string) => page.getByRole('link', { name: `Background watch: ${words}` });
  const ask = async (text: string, answer: string): Promise<void> => {
    // Nothing is sent while an answer is being written.
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Messages' }).getByText(answer).waitFor();
  };
  await ask('Build it.', 'The first build has begun.');
  await ask('And once more.', 'The second build has begun.');
  await expect.poll(() => chips('Watching 0').count()).toBe(2);

  await crash();
  await expect.poll(() => chips('Building… 1/500 1').count()).toBe(2);
  await page
    .getByRole('button', { name: /Background watches/ })
    .first()
    .click();
  const panel = page.getByRole('region', { name: 'Background watches' });
  await panel
    .getByRole('button', { name: /^Cancel/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Cancel the watch', exact: true }).click();
  await chips('Cancelled').waitFor();

  llm.script([turn.text('Good news: your build has passed.')]);
  tracker.finishBuild();
  await crash();
  const reports = page.getByRole('article', { name: /^Report/ });
  await reports.getByText('Good news: your build has passed.').waitFor();
  await chips('Done').waitFor();
  await page.reload();
  await expect.poll(() => chips('Cancelled').count()).toBe(1);
  await expect.poll(() => chips('Done').count()).toBe(1);
  await reports.first().waitFor();
  expect(await reports.count()).toBe(1);
  expect(tracker.written).toHaveLength(2);

  const conversation = page.url();
  const unready = await openTelegram(page);
  await unready.getByText('No Telegram bot is set up yet.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await unready.getByRole('link', { name: 'Where reports go' }).click();
  const channels = page.getByRole('dialog', { name: 'Where reports go' });
  await channels.getByLabel('Webhook address').fill('https://hooks.example.test/forge');
  await channels.getByLabel('Telegram bot token').fill(BOT_TOKEN);
  expect(await accessibilityProblems(page)).toEqual([]);
  await channels.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Settings saved.').waitFor();
  const saved = await (await forge.call('GET', '/api/watches/channels')).text();
  expect(JSON.parse(saved)).toMatchObject({
    values: { webhook_url: 'https://hooks.example.test/forge', telegram_token: { $secret: true } },
  });
  expect(saved).not.toContain('canary');

  const bot = await fakeTelegram(BOT_TOKEN);
  await forge.call('PUT', '/api/watches/channels', {
    values: { telegram_token: { $secret: true }, telegram_url: bot.url },
  });
  await page.goto(conversation);
  await linkTelegram(page, bot);
  expect(problems).toEqual([]);
});
