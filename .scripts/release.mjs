// npm run release: everything that a release consists of, in dist/release, with checksums.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addExtensionPackages, installPackages, root } from '../server/launch/packages.mjs';
import { runSteps } from './run-steps.mjs';

const out = path.join(root, 'dist', 'release');
const zips = path.join(root, '.dist-release');

installPackages();
await addExtensionPackages();
for (const folder of [out, zips]) rmSync(folder, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
process.env.FORGE_EXTENSION_OUT = path.basename(zips);
const zip = (browser) => [process.execPath, 'node_modules/wxt/bin/wxt.mjs', 'zip', '-b', browser, '--mv3'];
await runSteps([
  ['zip for Chrome', ...zip('chrome')],
  ['zip for Firefox', ...zip('firefox')],
]);
for (const name of readdirSync(zips).filter((each) => each.endsWith('.zip')))
  renameSync(path.join(zips, name), path.join(out, name));
rmSync(zips, { recursive: true, force: true });
delete process.env.FORGE_EXTENSION_OUT;
await runSteps([['package', 'npm', 'pack', '--loglevel=error', '--pack-destination', out]]);
const lines = readdirSync(out)
  .sort()
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(path.join(out, name)))
        .digest('hex')}  ${name}\n`,
  );
writeFileSync(path.join(out, 'SHA256SUMS'), lines.join(''));
console.log(`\n${out}\n${lines.join('')}`);
