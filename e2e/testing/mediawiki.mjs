// MediaWiki as Debian packages it, a real service nobody here wrote.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where the package `mediawiki` puts it. */
export const mediawikiHome = '/usr/share/mediawiki';

function isThere() {
  const modules = spawnSync('php', ['-m'], { encoding: 'utf8' }).stdout ?? '';
  return existsSync(path.join(mediawikiHome, 'api.php')) && /^pdo_sqlite$/m.test(modules);
}

/** True when MediaWiki and PHP are there, or could be installed: by apt, as root. */
export function ensureMediawiki() {
  if (isThere()) return true;
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  console.log('installing MediaWiki for the tests against a real service …');
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: ['ignore', 'ignore', 2] };
  spawnSync('apt-get', ['update', '-qq'], options);
  // What it recommends are a database server and a web server, which the tests do without.
  const packages = ['mediawiki', 'php-cli', 'php-sqlite3'];
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
  return isThere();
}
