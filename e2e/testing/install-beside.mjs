// Installs programs nobody here wrote beside the project, for tests. Plain JavaScript: the set-up step runs it before anything is built.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const INSTALL_MS = 20 * 60 * 1000;
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/forge');

/** Where a package is, once it is installed in the folder of that name. */
export function homeBeside(name, packageName) {
  return path.join(CACHE, name, 'node_modules', packageName);
}

/**
 * True when this version is there, after an attempt to install it where it is not; false without a registry to get it from.
 * `release` is a release of Node (a package and its version) that the program is run and built with, and `built` the files that its
 * dependencies have to build or download, by the name of the dependency.
 */
export function installBeside(
  name,
  { packageName, version, overrides, title, runScripts = false, release, built = {} },
) {
  const folder = path.join(CACHE, name);
  const manifest = path.join(homeBeside(name, packageName), 'package.json');
  const isBuilt = () =>
    Object.entries(built).every(([dependency, file]) => existsSync(path.join(homeBeside(name, dependency), file)));
  // npm writes its own lockfile last, so a broken installation counts as none.
  const isInstalled = () =>
    existsSync(path.join(folder, 'node_modules', '.package-lock.json')) &&
    existsSync(manifest) &&
    JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  if (isInstalled() && isBuilt()) return true;
  console.log(`installing ${title} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = { [packageName]: version, ...(release && { [release.packageName]: release.version }) };
  const about = { name: `forge-test-${name}`, private: true, dependencies, overrides };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  const args = ['install', '--no-audit', '--no-fund', '--omit=dev', '--fetch-retries=1'];
  if (!runScripts) args.push('--ignore-scripts');
  if (!runNpm(folder, args) || !isInstalled()) return false;
  if (isBuilt()) return true;
  return (
    runNpm(folder, ['rebuild', ...Object.keys(built)], release && homeBeside(name, release.packageName)) && isBuilt()
  );
}

/** Runs npm in a folder; with `nodeHome` it is that Node that runs the scripts and whose headers are compiled against. */
function runNpm(folder, args, nodeHome) {
  const isWindows = process.platform === 'win32';
  const own = nodeHome && {
    PATH: [path.join(nodeHome, 'bin'), process.env.PATH].join(path.delimiter),
    npm_config_nodedir: nodeHome,
  };
  const { status } = spawnSync(isWindows ? 'npm.cmd' : 'npm', [...args, '--loglevel=error'], {
    cwd: folder,
    env: { ...process.env, ...own },
    stdio: ['ignore', 2, 2],
    shell: isWindows,
    timeout: INSTALL_MS,
  });
  return status === 0;
}
