// Installs Verdaccio, a real service nobody here wrote, beside the project. Plain JavaScript: the set-up step runs it before anything is built.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const VERSION = '6.1.6';
const INSTALL_MS = 5 * 60 * 1000;
const folder = path.resolve(import.meta.dirname, '../../node_modules/.cache/forge/verdaccio');
const home = path.join(folder, 'node_modules', 'verdaccio');

/** The program to start with Node. */
export const verdaccioProgram = path.join(home, 'bin', 'verdaccio');

const PACKAGE = {
  name: 'forge-test-verdaccio',
  private: true,
  dependencies: { verdaccio: VERSION },
  overrides: { 'node-fetch': '2.7.0' },
};

/** npm writes its own lockfile last, so a broken installation counts as none. */
function isInstalled() {
  if (!existsSync(path.join(folder, 'node_modules', '.package-lock.json'))) return false;
  const manifest = path.join(home, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === VERSION;
}

/** True when Verdaccio is there, after an attempt to install it where it is not; false without a registry to get it from. */
export function ensureVerdaccio() {
  if (isInstalled()) return true;
  console.log(`installing Verdaccio ${VERSION} for the tests against a real service …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`);
  const args = ['install', '--no-audit', '--no-fund', '--omit=dev', '--ignore-scripts', '--fetch-retries=1'];
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync(isWindows ? 'npm.cmd' : 'npm', [...args, '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: isWindows,
    timeout: INSTALL_MS,
  });
  return status === 0 && isInstalled();
}
