import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { WIKI_MANIFEST } from '../server/auth/testing/wiki.ts';
import { tempFolder, testForge } from '../server/testing/forge.ts';
import { callApproved } from '../server/tools/testing/call-approved.ts';
import { startMediawiki } from './testing/mediawiki-process.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const UPLOAD = `  upload:
    protocol: http
    description: Upload a file.
    parameters: { name: { required: true }, file: { type: file, required: true } }
    request: { method: POST, url: '{base_url}/api.php', body_multipart: { action: upload, format: json, filename: '{args.name}', file: '{args.file}' } }
`;

it('MediaWiki is logged in to, edited and uploaded to with a bot password', async () => {
  const { url, images, bot, endSessions } = await startMediawiki();
  const forge = await testForge();
  const installed = await forge.request('POST', '/api/connectors/install-local', { yaml: WIKI_MANIFEST + UPLOAD });
  expect(installed.body).toMatchObject({ ok: true, id: 'wiki' });
  const save = (password: string) =>
    forge.request('PUT', '/api/connectors/wiki/settings', {
      values: { base_url: url, user: bot.name, password },
    });
  await save('wrong-password-of-32-characters-x');
  expect((await callApproved(forge, 'wiki.whoami', {})).body).toMatchObject({ error: { code: 'login_failed' } });
  await save(bot.password);
  const tested = await forge.request('POST', '/api/connectors/wiki/test');
  expect(tested.body).toMatchObject({ ok: true, message: 'Logged in as Admin.' });

  const text = 'Written by Forge: “ü” & + \\';
  const edited = await callApproved(forge, 'wiki.edit', { title: 'Forge', text });
  expect(edited.body).toMatchObject({ ok: true, result: { edit: { result: 'Success', title: 'Forge' } } });
  expect(await (await fetch(`${url}/index.php?title=Forge&action=raw`)).text()).toBe(text);

  endSessions();
  const again = await callApproved(forge, 'wiki.edit', { title: 'Forge', text: 'Once more.' });
  expect(again.body).toMatchObject({ ok: true, result: { edit: { result: 'Success' } } });
  const changes = await fetch(`${url}/api.php?action=query&list=recentchanges&rctitle=Forge&rcprop=user&format=json`);
  expect(await changes.json()).toMatchObject({ query: { recentchanges: [{ user: 'Admin' }, { user: 'Admin' }] } });

  const file = path.join(tempFolder(), 'pixel.png');
  writeFileSync(file, PIXEL);
  const uploaded = await callApproved(forge, 'wiki.upload', { name: 'Pixel.png', file });
  expect(uploaded.body).toMatchObject({
    ok: true,
    result: { upload: { result: 'Success', filename: 'Pixel.png' } },
  });
  expect(readdirSync(images, { recursive: true }).map((name) => path.basename(String(name)))).toContain('Pixel.png');
});
