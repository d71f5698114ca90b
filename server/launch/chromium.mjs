// Finds a Chromium, installs one where there is none, and prepares a profile for the extension. Plain JavaScript: the set-up step runs it
// before anything is built.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    if (folder !== '' && existsSync(file)) return file;
  }
  return null;
}

/** The browser to use: FORGE_CHROMIUM, an installed one, or Playwright's own; null when there is none. */
export async function findChromium() {
  const chosen = process.env.FORGE_CHROMIUM;
  if (chosen) return chosen;
  for (const name of NAMES) {
    const found = onPath(name);
    if (found !== null) return found;
  }
  if (existsSync(MAC)) return MAC;
  const own = await playwrightChromium();
  return own !== '' && existsSync(own) ? own : null;
}

/** Only a clone has Playwright. */
async function playwrightChromium() {
  try {
    const { chromium } = await import('playwright');
    return chromium.executablePath();
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return '';
    throw error;
  }
}

/** Installs a Chromium: Debian's package when that is possible without asking, else Playwright's download. */
export function installChromium() {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && onPath('apt-get') !== null) {
    spawnSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 2] });
    const { status } = spawnSync('apt-get', ['install', '-y', '-qq', 'chromium'], { stdio: ['ignore', 'ignore', 2] });
    if (status === 0) return true;
  }
  return (
    spawnSync('npx', ['playwright', 'install', 'chromium'], {
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    }).status === 0
  );
}

/** What every test browser is started with: no sandbox as root, and nothing that calls home. */
export function chromiumArgs() {
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--disable-gpu',
    '--disable-quic',
  ];
  return process.getuid?.() === 0 ? ['--no-sandbox', ...quiet] : quiet;
}

/**
 * Makes a profile in which the person has already turned on user scripts and allowed these sites; Chromium reads this before it loads
 * the extension. A profile that exists stays as it is.
 */
export function seedProfile(profile, extensionId, { userScripts, hosts, grantable }) {
  const file = path.join(profile, 'Default', 'Preferences');
  if (existsSync(file)) return;
  const granted = { api: [], explicit_host: grantable, manifest_permissions: [], scriptable_host: [] };
  const extension = {
    user_scripts_enabled: userScripts,
    active_permissions: { explicit_host: hosts },
    runtime_granted_permissions: granted,
  };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ extensions: { settings: { [extensionId]: extension } } }));
}

function readPreferences(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Chromium starts over from a file that it cannot read, and so does this.
    return {};
  }
}

/** Without it Chromium does not look at the sites that are closed to extensions. */
export const CLOSED_SITES_FEATURE = '--enable-features=ExtensionsMenuAccessControl';

/**
 * Closes sites to every extension in a profile, whatever else it is allowed: host permissions cannot leave out a port. Done before each start,
 * because the sites may be others than last time.
 */
export function closeSites(profile, origins) {
  const file = path.join(profile, 'Default', 'Preferences');
  const preferences = readPreferences(file);
  const { extensions = {} } = preferences;
  const { user_permissions: known = {} } = extensions;
  const restricted_sites = [...new Set([...(known.restricted_sites ?? []), ...origins])];
  const user_permissions = { permitted_sites: [], ...known, restricted_sites };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ ...preferences, extensions: { ...extensions, user_permissions } }));
}
