// Makes a fresh clone runnable: installs packages and builds, each only when needed, and says so on standard error.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { installPackages, linkCommand, root, say } from './packages.mjs';

export { installPackages, root } from './packages.mjs';

const MIN_NODE = [20, 19];
/** An installed package brings no sources. */
export const isClone = existsSync(path.join(root, 'wxt.config.ts'));

/** Stops with a sentence instead of a stack trace from somewhere deep inside. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  say(`this needs Node ${MIN_NODE.join('.')} or newer; you have ${process.versions.node}.`);
  process.exit(1);
}

/** Everything between a fresh clone and a working `forge`. An installed package brings no sources, and nothing is left to do. */
export async function prepare() {
  checkNode();
  if (!isClone) return;
  installPackages();
  linkCommand();
  const { isBuilt } = await import('./source-stamp.mjs');
  if (isBuilt()) return;
  say('building …');
  const { build } = await import('./build.mjs');
  await build();
  // Its helper process would stay as long as the server does.
  const { stop } = await import('esbuild');
  await stop();
}

/** What `forge start --browser` needs besides: a Chromium, and the extension in it. */
export async function prepareBrowser() {
  if (isClone) {
    const { extensionIsBuilt, buildExtension } = await import('./build-extension.mjs');
    if (!extensionIsBuilt('chrome')) say('building the extension …');
    await buildExtension();
  }
  const { findChromium, installChromium } = await import('./chromium.mjs');
  if ((await findChromium()) !== null) return;
  say('installing a Chromium …');
  if (installChromium() && (await findChromium()) !== null) return;
  say('no Chromium could be installed. Install one and set FORGE_CHROMIUM to its path.');
  process.exit(1);
}
