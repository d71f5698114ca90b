import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WIKI_MANIFEST } from '../server/auth/testing/wiki.ts';
import { closedPort } from '../server/runners/http/testing/servers.ts';
import { tempFolder, testForge } from '../server/testing/forge.ts';
import { callApproved } from '../server/tools/testing/call-approved.ts';

/** Where Debian's package `mediawiki` puts it; php-cli and php-sqlite3 are needed, too. */
const MEDIAWIKI = '/usr/share/mediawiki';
const PASSWORD = '0123456789abcdef0123456789abcdef';
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

/** A wiki of the test's own: a folder, a database in it, and PHP's own server. */
async function startWiki() {
  const folder = tempFolder();
  const config = path.join(folder, 'LocalSettings.php');
  const images = path.join(folder, 'images');
  mkdirSync(images);
  const url = `http://127.0.0.1:${await closedPort()}`;
  const env = { PATH: process.env['PATH'] ?? '' };
  const php = (script: string, args: string[], more: Record<string, string> = { MW_CONFIG_FILE: config }): void =>
    void execFileSync('php', [path.join(MEDIAWIKI, 'maintenance', script), ...args], {
      env: { ...env, ...more },
      stdio: 'pipe',
    });
  const database = ['--dbtype', 'sqlite', '--dbpath', folder, '--dbname', 'wiki'];
  const place = ['--confpath', folder, '--scriptpath', '', '--server', url];
  php('install.php', [...place, ...database, '--pass', 'Admin-4711-x9', 'Test', 'Admin'], {});
  appendFileSync(config, `\n$wgEnableUploads = true;\n$wgUploadDirectory = '${images}';\n`);
  const grants = 'basic,editpage,createeditmovepage,uploadfile';
  php('createBotPassword.php', ['--appid', 'forge', '--grants', grants, 'Admin', PASSWORD]);
  const server = spawn('php', ['-S', new URL(url).host, '-t', MEDIAWIKI], {
    env: { ...env, MW_CONFIG_FILE: config },
    stdio: 'ignore',
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  await expect
    .poll(() =>
      fetch(`${url}/api.php?action=query&format=json`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  return { url, images, endSessions: () => php('invalidateUserSessions.php', ['--user', 'Admin']) };
}

describe.skipIf(!existsSync(path.join(MEDIAWIKI, 'api.php')))(
  'a real MediaWiki (left out where none is installed)',
  () => {
    it('is logged in to, edited and uploaded to', async () => {
      const { url, images, endSessions } = await startWiki();
      const forge = await testForge();
      const installed = await forge.request('POST', '/api/connectors/install-local', { yaml: WIKI_MANIFEST + UPLOAD });
      expect(installed.body).toMatchObject({ ok: true, id: 'wiki' });
      const save = (password: string) =>
        forge.request('PUT', '/api/connectors/wiki/settings', {
          values: { base_url: url, user: 'Admin@forge', password },
        });
      await save('wrong-password-of-32-characters-x');
      expect((await callApproved(forge, 'wiki.whoami', {})).body).toMatchObject({ error: { code: 'login_failed' } });
      await save(PASSWORD);
      const tested = await forge.request('POST', '/api/connectors/wiki/test');
      expect(tested.body).toMatchObject({ ok: true, message: 'Logged in as Admin.' });

      const text = 'Written by Forge: “ü” & + \\';
      const edited = await callApproved(forge, 'wiki.edit', { title: 'Forge', text });
      expect(edited.body).toMatchObject({ ok: true, result: { edit: { result: 'Success', title: 'Forge' } } });
      expect(await (await fetch(`${url}/index.php?title=Forge&action=raw`)).text()).toBe(text);

      endSessions();
      const again = await callApproved(forge, 'wiki.edit', { title: 'Forge', text: 'Once more.' });
      expect(again.body).toMatchObject({ ok: true, result: { edit: { result: 'Success' } } });
      const changes = await fetch(
        `${url}/api.php?action=query&list=recentchanges&rctitle=Forge&rcprop=user&format=json`,
      );
      expect(await changes.json()).toMatchObject({ query: { recentchanges: [{ user: 'Admin' }, { user: 'Admin' }] } });

      const file = path.join(tempFolder(), 'pixel.png');
      writeFileSync(file, PIXEL);
      const uploaded = await callApproved(forge, 'wiki.upload', { name: 'Pixel.png', file });
      expect(uploaded.body).toMatchObject({
        ok: true,
        result: { upload: { result: 'Success', filename: 'Pixel.png' } },
      });
      expect(readdirSync(images, { recursive: true }).map((name) => path.basename(String(name)))).toContain(
        'Pixel.png',
      );
    });
  },
);
