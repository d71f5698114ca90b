import { spawnSync } from 'node:child_process';
import { findFirefox } from '../e2e/testing/find-firefox.mjs';
import { findChromium, installChromium } from '../server/launch/chromium.mjs';

/** Installs a Chromium when there is none, or ends with a sentence. */
export async function ensureBrowser() {
  if ((await findChromium()) !== null) return;
  console.log('installing Chromium for the browser tests …');
  if (installChromium() && (await findChromium()) !== null) return;
  console.error('no Chromium could be installed; install one and set FORGE_CHROMIUM to its path.');
  process.exit(1);
}

/** Installs a Firefox where that takes one command, and says whether there is one that is new enough. */
export function ensureFirefox() {
  if (findFirefox() !== null) return true;
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  console.log('installing Firefox for the browser tests …');
  spawnSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 2] });
  spawnSync('apt-get', ['install', '-y', '-qq', 'firefox-esr'], { stdio: ['ignore', 'ignore', 2] });
  return findFirefox() !== null;
}
