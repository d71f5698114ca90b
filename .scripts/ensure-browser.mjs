import { findChromium, installChromium } from '../server/launch/chromium.mjs';

/** Installs a Chromium when there is none, or ends with a sentence. */
export async function ensureBrowser() {
  if ((await findChromium()) !== null) return;
  console.log('installing Chromium for the browser tests …');
  if (installChromium() && (await findChromium()) !== null) return;
  console.error('no Chromium could be installed; install one and set FORGE_CHROMIUM to its path.');
  process.exit(1);
}
