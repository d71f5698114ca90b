// Installs packages, each group only when something of it is missing. Plain JavaScript: it runs before anything has been built.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// In words that an older Node knows too, which has yet to be told that it is too old.
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
const modules = path.join(root, 'node_modules');
const lockFile = path.join(root, 'package-lock.json');
const isWindows = process.platform === 'win32';
const NPM = isWindows ? 'npm.cmd' : 'npm';
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
/** What a build of the extension needs besides the packages of the server and its page. */
const EXTENSION_PACKAGES = ['wxt', '@wxt-dev/module-svelte', 'vite', 'webextension-polyfill'];

export const say = (text) => process.stderr.write(`forge: ${text}\n`);

const has = (name) => existsSync(path.join(modules, name));

/** True when what package-lock.json asks for is installed. npm writes its own lockfile last, so a broken install counts as none. */
function isInstalled(withDev) {
  const installed = path.join(modules, '.package-lock.json');
  if (!existsSync(installed)) return false;
  if (!existsSync(lockFile)) return true;
  return statSync(installed).mtimeMs >= statSync(lockFile).mtimeMs || sameLock(lockFile, installed, withDev);
}

function sameLock(wanted, installed, withDev) {
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const want = JSON.parse(readFileSync(wanted, 'utf8')).packages;
  return Object.entries(want).every(
    ([name, entry]) =>
      name === '' || entry.optional || (entry.dev && !withDev) || have[name]?.version === entry.version,
  );
}

/** Installs what the server needs, or with `dev` what the tests need as well. */
export function installPackages({ dev = false } = {}) {
  if (isInstalled(dev) && (!dev || has('vitest'))) return;
  say(dev ? 'installing packages (about a minute) …' : 'installing packages …');
  const args = ['ci', ...QUIET, dev ? '--include=dev' : '--omit=dev'];
  const { status } = spawnSync(NPM, args, { cwd: root, stdio: ['ignore', 2, 2], shell: isWindows });
  if (status === 0) return;
  say('npm ci failed; the lines above say why. Check the network and try again.');
  process.exit(1);
}

/** npm writes its own lockfile last: what it does not list has not been installed to the end. */
function finishedPackages() {
  const file = path.join(modules, '.package-lock.json');
  return existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, 'utf8')).packages) : [];
}

export function hasExtensionPackages() {
  const finished = new Set(finishedPackages());
  return EXTENSION_PACKAGES.every((name) => has(name) && finished.has(`node_modules/${name}`));
}

/** npm would take the remains of an installation that was killed for whole packages. */
function removeUnfinished() {
  const finished = new Set(finishedPackages());
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(path.join(modules, name)).map((part) => `${name}/${part}`) : [name],
  );
  for (const name of names) {
    if (!name.startsWith('.') && !finished.has(`node_modules/${name}`))
      rmSync(path.join(modules, name), { recursive: true, force: true });
  }
}

/**
 * Adds what a build of the extension needs, in the versions of package-lock.json. What is installed stays in its place: a server that runs
 * may still have to load some of it.
 */
export async function addExtensionPackages() {
  if (hasExtensionPackages()) return;
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'));
  const wanted = EXTENSION_PACKAGES.map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  removeUnfinished();
  const kept = has('vitest') ? '--include=dev' : '--omit=dev';
  const args = ['install', '--no-save', '--save-prod', '--ignore-scripts', kept, ...QUIET, ...wanted];
  const { code, output } = await run(NPM, args, { shell: isWindows });
  if (code !== 0) throw new Error(`its packages could not be installed:\n${output}`);
}

/** Runs a command in the project's folder to its end, and keeps what it printed. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const parts = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
    child.once('error', (error) => resolve({ code: 1, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(parts).toString() }));
  });
}

/**
 * Puts the command where npx looks first. Were it listed under `bin` in package.json, npx would read the whole of node_modules at every call;
 * the package that people install lists it.
 */
export function linkCommand() {
  const folder = path.join(modules, '.bin');
  const link = path.join(folder, isWindows ? 'forge.cmd' : 'forge');
  if (existsSync(link)) return;
  mkdirSync(folder, { recursive: true });
  if (isWindows) {
    writeFileSync(link, '@node "%~dp0\\..\\..\\server\\launch\\forge.mjs" %*\r\n');
    return;
  }
  chmodSync(path.join(root, 'server', 'launch', 'forge.mjs'), 0o755);
  symlinkSync('../../server/launch/forge.mjs', link);
}
