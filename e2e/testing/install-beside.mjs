// Installs programs nobody here wrote beside the project, for tests. Plain JavaScript: the set-up step runs it before anything is built.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const INSTALL_MS = 5 * 60 * 1000;
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/forge');

/** Where a package is, once it is installed in the folder of that name. */
export function homeBeside(name, packageName) {
  return path.join(CACHE, name, 'node_modules', packageName);
}

/** True when this version is there, after an attempt to install it where it is not; false without a registry to get it from. */
export function installBeside(name, { packageName, version, overrides, title, runScripts = false }) {
  const folder = path.join(CACHE, name);
  const manifest = path.join(homeBeside(name, packageName), 'package.json');
  // npm writes its own lockfile last, so a broken installation counts as none.
  const isInstalled = () =>
    existsSync(path.join(folder, 'node_modules', '.package-lock.json')) &&
    existsSync(manifest) &&
    JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  if (isInstalled()) return true;
  console.log(`installing ${title} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const about = { name: `forge-test-${name}`, private: true, dependencies: { [packageName]: version }, overrides };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  const args = ['install', '--no-audit', '--no-fund', '--omit=dev', '--fetch-retries=1'];
  if (!runScripts) args.push('--ignore-scripts');
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync(isWindows ? 'npm.cmd' : 'npm', [...args, '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: isWindows,
    timeout: INSTALL_MS,
  });
  return status === 0 && isInstalled();
}
