import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startBrowserWorld } from './testing/browser-world.ts';
import { startVerdaccio } from './testing/verdaccio-process.ts';

const MANIFEST = readFileSync(path.join(import.meta.dirname, 'fixtures/verdaccio-page.yaml'), 'utf8');

it('D-14 C-46 tools on a real service’s own page, behind its own login', async () => {
  const verdaccio = await startVerdaccio();
  const world = await startBrowserWorld();
  onTestFinished(() => world.close());
  await world.install('verdaccio-page', MANIFEST);
  await world.forge.call('PUT', '/api/connectors/verdaccio-page/settings', { values: { base_url: verdaccio.url } });
  expect(await (await world.forge.call('POST', '/api/connectors/verdaccio-page/test')).json()).toMatchObject({
    ok: true,
    url: `${verdaccio.url}/`,
  });
  expect(await world.call('verdaccio-page.who')).toMatchObject({
    ok: false,
    error: { code: 'tool_error', message: 'Nobody is logged in.' },
  });

  const page = await world.browser.context.newPage();
  await page.goto(verdaccio.url);
  await page.getByRole('button', { name: /login/i }).first().click();
  await page.locator('input[name=username]').fill(verdaccio.user.name);
  await page.locator('input[name=password]').fill(verdaccio.user.password);
  await page.locator('form button[type=submit]').click();
  await page.locator('form').waitFor({ state: 'detached' });
  await page.close();

  expect(await world.call('verdaccio-page.who')).toMatchObject({
    ok: true,
    result: { user: verdaccio.user.name, title: expect.stringContaining('The real service') },
  });
  expect(await world.call('verdaccio-page.packages')).toMatchObject({ ok: true, result: [] });
});
