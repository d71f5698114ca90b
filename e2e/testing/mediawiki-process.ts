import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { closedPort } from '../../server/runners/http/testing/servers.ts';
import { tempFolder } from './forge-process.ts';
import { mediawikiHome } from './mediawiki.mjs';

/** A wiki of the test's own with one person in it, who has a bot password, too. */
export interface Mediawiki {
  url: string;
  /** Where uploaded files are kept. */
  images: string;
  user: { name: string; password: string };
  bot: { name: string; password: string };
  /** Logs everybody out, on the server. */
  endSessions: () => void;
}

/** A folder, a database in it, and PHP's own server. */
export async function startMediawiki(): Promise<Mediawiki> {
  const folder = tempFolder();
  const config = path.join(folder, 'LocalSettings.php');
  const images = path.join(folder, 'images');
  mkdirSync(images);
  const url = `http://127.0.0.1:${await closedPort()}`;
  const env = { PATH: process.env['PATH'] ?? '' };
  const php = (script: string, args: string[], more: Record<string, string> = { MW_CONFIG_FILE: config }): void =>
    void execFileSync('php', [path.join(mediawikiHome, 'maintenance', script), ...args], {
      env: { ...env, ...more },
      stdio: 'pipe',
    });
  const user = { name: 'Admin', password: 'Admin-4711-x9' };
  const bot = { name: 'Admin@forge', password: '0123456789abcdef0123456789abcdef' };
  const database = ['--dbtype', 'sqlite', '--dbpath', folder, '--dbname', 'wiki'];
  const place = ['--confpath', folder, '--scriptpath', '', '--server', url];
  php('install.php', [...place, ...database, '--pass', user.password, 'Test', user.name], {});
  appendFileSync(config, `\n$wgEnableUploads = true;\n$wgUploadDirectory = '${images}';\n`);
  const grants = 'basic,editpage,createeditmovepage,uploadfile';
  php('createBotPassword.php', ['--appid', 'forge', '--grants', grants, user.name, bot.password]);
  const server = spawn('php', ['-S', new URL(url).host, '-t', mediawikiHome], {
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
  return { url, images, user, bot, endSessions: () => php('invalidateUserSessions.php', ['--user', user.name]) };
}
