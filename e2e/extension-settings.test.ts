import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems } from './testing/accessibility.ts';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';
import { photographPage } from './testing/extension-browser.ts';

let world: BrowserWorld;

beforeAll(async () => {
  world = await startBrowserWorld();
}, 120_000);

afterAll(() => world.close());

const YAML = `id: hello
name: Hello
version: "1.0.0"
description: A connector to show in the options page.
tools: { t: { protocol: shell, description: Says hello., command: [echo, hello] } }
`;

it('K-54 C-140 the options page has the same settings, once a person lets this browser have them', async () => {
  await world.forge.call('POST', '/api/connectors/install-local', { yaml: YAML });
  const page = await world.browser.openPage('options.html');
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => (message.type() === 'error' ? problems.push(message.text()) : undefined));
  await page.getByRole('heading', { name: 'This browser' }).waitFor();
  await page.getByText('Connected', { exact: true }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  await page.getByRole('link', { name: 'Connectors' }).click();
  await page.getByText('This browser may not manage Forge').waitFor();
  await page.getByText('Settings → Browsers').first().waitFor();

  const { browsers } = (await (await world.forge.call('GET', '/api/browsers')).json()) as {
    browsers: { id: string }[];
  };
  await world.forge.call('POST', `/api/browsers/${browsers[0]!.id}/manage`, { allowed: true });
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByRole('link', { name: 'Hello' }).waitFor();
  expect(await photographPage(page, 'options-connectors', { width: 1200, height: 760 })).toBe(true);
  expect(await accessibilityProblems(page)).toEqual([]);

  await page.getByRole('switch', { name: 'Hello on' }).click();
  await page.getByText('Off', { exact: true }).waitFor();
  const saved = async () => (await world.forge.call('GET', '/api/connectors/hello')).json();
  // The switch does not wait for the server.
  await expect.poll(saved).toMatchObject({ state: 'disabled' });
  // A Forge that takes its time: the bridge cannot tell how much was sent, and the bar claims no number.
  const sent = page.getByRole('progressbar', { name: 'Sent' });
  world.forge.child.kill('SIGSTOP');
  try {
    await page.setInputFiles('input[type=file]', {
      name: 'second.yaml',
      mimeType: 'text/yaml',
      buffer: Buffer.from(YAML.replaceAll('hello', 'second').replace('name: Hello', 'name: Second')),
    });
    await sent.waitFor();
    expect(await sent.evaluate((bar: HTMLProgressElement) => bar.position)).toBe(-1);
  } finally {
    world.forge.child.kill('SIGCONT');
  }
  await page.getByRole('dialog', { name: 'Install Second?' }).getByRole('button', { name: 'Install' }).click();
  await page.getByRole('link', { name: 'Second' }).click();
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  expect(page.url()).toContain('#/settings/connectors/second');
  await page.reload();
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  expect(problems).toEqual([]);
  const policy = await page.evaluate(() => JSON.stringify(chrome.runtime.getManifest()['content_security_policy']));
  expect(policy).toContain("script-src 'self'; style-src 'self';");
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval/);
  // A page of ours holds neither a token nor a key.
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
  expect(stored).not.toContain(world.forge.token);
});
