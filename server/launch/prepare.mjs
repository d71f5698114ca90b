// Makes a fresh clone runnable: installs packages and builds, each only when needed, and says so on standard error.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..', '..');
const MIN_NODE = [20, 19];

const say = (text) => process.stderr.write(`forge: ${text}\n`);

/** Stops with a sentence instead of a stack trace from somewhere deep inside. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  say(`this needs Node ${MIN_NODE.join('.')} or newer; you have ${process.versions.node}.`);
  process.exit(1);
}

/** True when what package-lock.json asks for is installed. npm writes its own lockfile last, so a broken install counts as none. */
function isInstalled(withDev) {
  const wanted = path.join(root, 'package-lock.json');
  const installed = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  if (!existsSync(wanted)) return true;
  if (statSync(installed).mtimeMs < statSync(wanted).mtimeMs && !sameLock(wanted, installed, withDev)) return false;
  return !withDev || existsSync(path.join(root, 'node_modules', 'vitest'));
}

function sameLock(wanted, installed, withDev) {
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const want = JSON.parse(readFileSync(wanted, 'utf8')).packages;
  return Object.entries(want).every(
    ([name, entry]) => name === '' || entry.optional || (entry.dev && !withDev) || have[name]?.version === entry.version,
  );
}

/** Installs what is missing. `dev` adds what the tests need. */
export function installPackages({ dev = false } = {}) {
  if (isInstalled(dev)) return;
  say(dev ? 'installing packages (about a minute) …' : 'installing packages …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', dev ? '--include=dev' : '--omit=dev'];
  const result = spawnSync(npm, args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (result.status === 0) return;
  say('npm ci failed; the lines above say why. Check the network and try again.');
  process.exit(1);
}

/** Everything between a fresh clone and a working `forge`. */
export async function prepare() {
  checkNode();
  if (existsSync(path.join(root, 'package-lock.json'))) installPackages();
  const { build, isBuilt } = await import('./build.mjs');
  if (isBuilt()) return;
  say('building …');
  await build();
}

/** What `forge start --browser` needs besides: a Chromium, and the extension in it. */
export async function prepareBrowser() {
  // An installed package brings its extension along; in a clone it is built with the tools of the developer.
  if (existsSync(path.join(root, 'extension'))) {
    installPackages({ dev: true });
    say('building the extension …');
    const { buildExtension } = await import('./build-extension.mjs');
    buildExtension();
    buildExtension({ anyPort: true });
  }
  const { findChromium, installChromium } = await import('./chromium.mjs');
  if ((await findChromium()) !== null) return;
  say('installing a Chromium …');
  if (installChromium() && (await findChromium()) !== null) return;
  say('no Chromium could be installed. Install one and set FORGE_CHROMIUM to its path.');
  process.exit(1);
}
