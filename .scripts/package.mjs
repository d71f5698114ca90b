// npm runs this before and after `npm pack`. The tarball holds what runs: the bundled server, the page, both builds of the extension and the
// connectors. Its package.json lists the command and the few packages that are not bundled; the clone's own comes back afterwards.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EXTERNAL, build } from '../server/launch/build.mjs';
import { prepareExtension } from '../server/launch/build-extension.mjs';
import { installPackages, root, say } from '../server/launch/packages.mjs';

const manifest = path.join(root, 'package.json');
const kept = path.join(root, 'package.json.before-pack');
const LAUNCH = ['forge', 'compile-cache', 'prepare', 'packages', 'chromium'].map((name) => `server/launch/${name}.mjs`);
const REST = ['dist/extension/chrome-mv3', 'dist/extension/firefox-mv3', 'connectors', '!connectors/**/fixtures'];

/** An earlier `npm pack` may have been killed. The rename keeps the time of the file, so that nothing is built again. */
function restore() {
  if (!existsSync(kept)) return;
  rmSync(manifest, { force: true });
  renameSync(kept, manifest);
}

function pick(versions, names) {
  return Object.fromEntries(Object.entries(versions).filter(([name]) => names.includes(name)));
}

async function before() {
  restore();
  installPackages();
  await build();
  await prepareExtension(({ state, browser = '' }) => say(`extension: ${state} ${browser}…`));
  const { files } = JSON.parse(readFileSync(path.join(root, 'dist', 'build.json'), 'utf8'));
  const built = files.filter((name) => !name.endsWith('.map')).map((name) => `dist/${name}`);
  const own = JSON.parse(readFileSync(manifest, 'utf8'));
  const { name, version, description, license, type, engines, dependencies, optionalDependencies } = own;
  const published = {
    ...{ name, version, description, license, type, engines },
    bin: { forge: 'server/launch/forge.mjs' },
    files: [...built, 'dist/build.json', ...REST, ...LAUNCH],
    dependencies: pick(dependencies, EXTERNAL),
    optionalDependencies: pick(optionalDependencies, EXTERNAL),
  };
  renameSync(manifest, kept);
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
}

if (process.argv[2] === 'before') await before();
else restore();
