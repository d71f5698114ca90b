import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { approveNext } from './testing/approve-next.ts';
import { startBrowserWorld } from './testing/browser-world.ts';
import { startDirectus } from './testing/directus-process.ts';
import { startForgeProcess, tempFolder } from './testing/forge-process.ts';

const MANIFEST = readFileSync(path.join(import.meta.dirname, 'fixtures/directus.yaml'), 'utf8');

it('D-14 C-46 Directus’ own pages, behind its own login', async () => {
  const directus = await startDirectus();
  await directus.send('POST', '/items/articles', { title: 'The first' });
  const world = await startBrowserWorld();
  onTestFinished(() => world.close());
  await world.install('directus', MANIFEST);
  await world.forge.call('PUT', '/api/connectors/directus/settings', {
    values: { base_url: directus.url, ...directus.user },
  });
  expect(await world.call('directus.who')).toMatchObject({ ok: false, error: { code: 'login_required' } });

  const page = await world.browser.context.newPage();
  await page.goto(`${directus.url}/admin/login`);
  await page.locator('input[type=email]').fill(directus.user.email);
  await page.locator('input[type=password]').fill(directus.user.password);
  await page.locator('button[type=submit]').click();
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  await page.close();

  expect(await world.call('directus.who')).toMatchObject({ ok: true, result: { email: directus.user.email } });
  const [renamed] = await Promise.all([
    world.call('directus.rename', { id: 1, title: 'Renamed in the tab' }),
    approveNext(world.forge),
  ]);
  expect(renamed).toMatchObject({ ok: true, result: { id: 1, title: 'Renamed in the tab' } });
  expect(await world.call('directus.shown')).toMatchObject({
    ok: true,
    result: [expect.stringContaining('Renamed in the tab')],
  });
  expect(await world.call('directus.find', { text: 'the tab' })).toMatchObject({
    ok: true,
    result: [{ title: 'Renamed in the tab' }],
  });
});

it('Directus’ API: logs in, writes, finds, uploads and deletes', async () => {
  const directus = await startDirectus();
  const folder = tempFolder();
  const forge = await startForgeProcess(path.join(folder, 'data'), { FORGE_SEND_FOLDERS: folder });
  await forge.call('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  const save = (password: string) =>
    forge.call('PUT', '/api/connectors/directus/settings', {
      values: { base_url: directus.url, email: directus.user.email, password },
    });
  const call = async (tool: string, args: object, more: object = {}): Promise<Record<string, unknown>> => {
    const answer = await forge.call('POST', `/api/tools/directus.${tool}/call`, { args, ...more });
    return (await answer.json()) as Record<string, unknown>;
  };
  const wrong = 'wrong-password-canary';
  await save(wrong);
  const refused = await call('find', { text: 'x' });
  expect(refused).toMatchObject({
    ok: false,
    error: { code: 'exchange_failed', message: expect.stringContaining('HTTP 401') },
  });
  expect(JSON.stringify(refused)).not.toContain(wrong);

  await save(directus.user.password);
  const tested = await (await forge.call('POST', '/api/connectors/directus/test')).json();
  expect(tested).toMatchObject({ ok: true, message: `Signed in as ${directus.user.email}` });
  const title = 'Tea & “Kännchen” [50%]';
  expect(await call('create', { title })).toMatchObject({ ok: true, result: { data: { id: 1, title } } });
  expect(await call('create', { title: 'Coffee' })).toMatchObject({ ok: true });
  expect(await call('find', { text: '& “K' })).toMatchObject({ ok: true, result: [{ title }] });
  const file = path.join(folder, 'note.txt');
  writeFileSync(file, 'A note.');
  expect(await call('upload', { title: 'Note', file })).toMatchObject({
    ok: true,
    result: { data: { title: 'Note', filename_download: 'note.txt', filesize: expect.anything() } },
  });

  const asked = await call('delete', { id: 1 });
  expect(asked).toMatchObject({ error: { code: 'approval_required' } });
  await forge.call('POST', `/api/approvals/${String(asked['approval_id'])}`, { decision: 'approve' });
  expect(await call('delete', { id: 1 }, { approval_id: asked['approval_id'] })).toMatchObject({ ok: true });
  expect(await call('find', { text: 'Tea' })).toMatchObject({ ok: true, result: [] });
  expect(await call('delete', { id: 1 }, { approval_id: asked['approval_id'] })).not.toMatchObject({ ok: true });
});
