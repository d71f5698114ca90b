// Builds the extension for both browsers, when it is not built yet. Plain JavaScript: it runs before anything has been built.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyExtension } from './extension-copy.mjs';
import { addExtensionPackages, hasExtensionPackages, installPackages, root, run, say } from './packages.mjs';
import { sourceStamp } from './source-stamp.mjs';

const SOURCES = ['package.json', 'package-lock.json', 'wxt.config.ts', 'extension', 'shared'];
const BROWSERS = ['chrome', 'firefox'];
const out = path.join(root, 'dist', 'extension');
const folderOf = (browser) => path.join(out, `${browser}-mv3`);
const stampFileOf = (browser) => path.join(out, `${browser}-mv3.json`);

/** True when a build is up to date. An installed package brings no sources, and its build always is. */
export function extensionIsBuilt(browser, stamp = hasSources() ? sourceStamp(SOURCES) : null) {
  if (!existsSync(path.join(folderOf(browser), 'manifest.json'))) return false;
  if (stamp === null) return true;
  const file = stampFileOf(browser);
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).stamp === stamp;
}

function hasSources() {
  return existsSync(path.join(root, 'wxt.config.ts'));
}

/** Returns the folder of a build that is up to date. `anyPort` is for tests, whose servers listen on any port. */
export async function buildExtension({ anyPort = false, browser = 'chrome' } = {}) {
  const folder = folderOf(browser);
  const stamp = hasSources() ? sourceStamp(SOURCES) : null;
  if (!extensionIsBuilt(browser, stamp)) await buildFresh(browser, stamp);
  if (!anyPort) return folder;
  const to = path.join(root, 'dist', 'extension-any-port', path.basename(folder));
  return copyExtension({ from: folder, to, port: '*' });
}

/** Builds beside the folder and moves the result into its place, so that a browser never loads half of it. */
async function buildFresh(browser, stamp) {
  if (stamp === null) throw new Error('this installation has no extension; install Forge again');
  await addExtensionPackages();
  const next = path.join(root, `.dist-extension-${process.pid}-${browser}`);
  const wxt = path.join(root, 'node_modules', 'wxt', 'bin', 'wxt.mjs');
  try {
    const env = { ...process.env, FORGE_EXTENSION_OUT: path.relative(root, next) };
    const { code, output } = await run(process.execPath, [wxt, 'build', '-b', browser, '--mv3'], { env });
    if (code !== 0) throw new Error(`its build failed:\n${output}`);
    // Somebody else may have built the same at the same time.
    if (extensionIsBuilt(browser, stamp)) return;
    mkdirSync(out, { recursive: true });
    rmSync(folderOf(browser), { recursive: true, force: true });
    renameSync(path.join(next, `${browser}-mv3`), folderOf(browser));
    writeFileSync(stampFileOf(browser), `${JSON.stringify({ stamp })}\n`);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/** Everything between a clone in any state and both builds. `report` is told what is being done. */
export async function prepareExtension(report) {
  if (BROWSERS.every((browser) => extensionIsBuilt(browser))) return;
  if (!hasExtensionPackages()) {
    report({ state: 'installing' });
    await addExtensionPackages();
  }
  for (const browser of BROWSERS) {
    report({ state: 'building', browser });
    await buildExtension({ browser });
  }
}

const SAID = { installing: () => 'installing packages …', building: ({ browser }) => `building for ${browser} …` };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (hasSources()) installPackages();
  try {
    await prepareExtension((step) => say(SAID[step.state](step)));
    for (const browser of BROWSERS) console.log(folderOf(browser));
  } catch (error) {
    say(`the extension could not be made: ${error.message}`);
    process.exit(1);
  }
}
