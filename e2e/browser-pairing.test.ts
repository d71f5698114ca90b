import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { photograph } from './testing/browser.ts';
import { confirmAlways } from './testing/confirm.ts';
import { startExtensionBrowser } from './testing/extension-browser.ts';
import { startForgeProcess, tempFolder } from './testing/forge-process.ts';

it('C-142 K-54 a person compares the code, accepts once, and can take it back', async () => {
  const forge = await startForgeProcess(path.join(tempFolder(), 'data'));
  const browser = await startExtensionBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.context.newPage();
  confirmAlways(page);
  await page.goto(await forge.newLoginLink());
  await page.getByRole('link', { name: 'Browsers' }).click();
  await page.getByText('Install the Forge extension').waitFor();
  await browser.useServer(Number(new URL(forge.url).port));

  const popup = await browser.openPage('popup.html');
  await page.getByRole('heading', { name: /asks to connect$/ }).waitFor();
  const note = await page.getByText('Compare the code').innerText();
  const code = /[\d ]{6,}/.exec(note)?.[0].trim() ?? 'no code';
  await popup.getByText(code).waitFor();
  await photograph(page, 'browsers-pending');

  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('Connected', { exact: true }).waitFor();
  await popup.getByText('Connected', { exact: true }).waitFor();
  await photograph(page, 'browsers-connected');

  await page.getByRole('button', { name: /^Revoke / }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Install the Forge extension').waitFor();
  await popup.getByText('Forge does not know this browser').waitFor();
  const { browsers } = (await (await forge.call('GET', '/api/browsers')).json()) as { browsers: unknown[] };
  expect(browsers).toEqual([]);
});
