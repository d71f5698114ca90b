import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { approveNext } from './testing/approve-next.ts';
import { startBrowserWorld } from './testing/browser-world.ts';
import { startMediawiki } from './testing/mediawiki-process.ts';

const MANIFEST = readFileSync(path.join(import.meta.dirname, 'fixtures/mediawiki-page.yaml'), 'utf8');

it('D-14 C-46 MediaWiki’s own pages, behind its own login', async () => {
  const wiki = await startMediawiki();
  const world = await startBrowserWorld();
  onTestFinished(() => world.close());
  await world.install('wiki-page', MANIFEST);
  await world.forge.call('PUT', '/api/connectors/wiki-page/settings', { values: { base_url: wiki.url } });
  expect(await world.call('wiki-page.who')).toMatchObject({ ok: false, error: { code: 'login_required' } });

  const page = await world.browser.context.newPage();
  await page.goto(`${wiki.url}/index.php?title=Special:UserLogin`);
  await page.locator('#wpName1').fill(wiki.user.name);
  await page.locator('#wpPassword1').fill(wiki.user.password);
  await page.locator('#wpLoginAttempt').click();
  await page.locator('#pt-userpage').waitFor();
  await page.close();

  expect(await (await world.forge.call('POST', '/api/connectors/wiki-page/test')).json()).toMatchObject({ ok: true });
  expect(await world.call('wiki-page.who')).toMatchObject({ ok: true, result: { user: wiki.user.name } });
  const text = 'Written in the tab: “ü” & + \\';
  const [edited] = await Promise.all([
    world.call('wiki-page.edit', { title: 'Forge', text }),
    approveNext(world.forge),
  ]);
  expect(edited).toMatchObject({ ok: true, result: { result: 'Success', title: 'Forge' } });
  expect(await world.call('wiki-page.read', { title: 'Forge' })).toMatchObject({ ok: true, result: text });

  wiki.endSessions();
  expect(await world.call('wiki-page.who')).toMatchObject({ ok: false, error: { code: 'login_required' } });
});
