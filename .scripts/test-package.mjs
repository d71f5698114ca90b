// npm run test:package: packs Forge, installs the tarball into an empty folder and starts what was installed.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../server/launch/packages.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-package-'));
const NOT_INSIDE = /\.test\.|\.tsx?$|\.svelte$|\.map$|fixtures|node_modules/;
const INSIDE = ['dist/forge.js', 'dist/web/index.html', 'connectors/registry.json'].concat(
  ['chrome', 'firefox'].map((browser) => `dist/extension/${browser}-mv3/manifest.json`),
);

function run(command, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

function check(isRight, what) {
  if (!isRight) throw new Error(what);
}

/** Starts the installed command, which must neither install nor build anything, and asks its page. */
async function startInstalled(prefix) {
  const dataDir = path.join(folder, 'data');
  const env = { ...process.env, FORGE_DATA_DIR: dataDir, FORGE_PORT: '0', FORG_PORT: '0', FORGE_KEY_STORE: 'file' };
  const child = spawn(path.join(prefix, 'bin', 'forge'), ['start'], { cwd: folder, env, stdio: 'pipe' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  const ready = new Promise((resolve, reject) => {
    const read = (part) => {
      output += part;
      if (output.includes('Extension: ready')) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', read);
    void ended.then((code) => reject(new Error(`forge start ended with ${code}:\n${output}`)));
  });
  try {
    await ready;
    check(!/installing|building/.test(output), `the installed command prepared something:\n${output}`);
    check(output.includes('`forge token --link`') && !output.includes('npx forge'), `not its own command:\n${output}`);
    const help = run(path.join(prefix, 'bin', 'forge'), ['tools', '--help'], { cwd: folder, env });
    check(help.includes('$ forge tools'), `not its own command:\n${help}`);
    const url = /running at (\S+)/.exec(output)?.[1];
    const page = await fetch(`${url}/settings/connectors`);
    check(page.status === 200, `the page answered ${page.status}`);
    child.kill('SIGTERM');
    check((await ended) === 0, `forge start ended badly:\n${output}`);
  } finally {
    child.kill('SIGKILL');
  }
}

try {
  const before = readFileSync(path.join(root, 'package.json'), 'utf8');
  run('npm', ['pack', '--loglevel=error', '--pack-destination', folder]);
  check(readFileSync(path.join(root, 'package.json'), 'utf8') === before, 'npm pack left a changed package.json');
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const names = run('tar', ['tzf', path.join(folder, tarball)])
    .trim()
    .split('\n');
  for (const name of INSIDE) check(names.includes(`package/${name}`), `the package lacks ${name}`);
  const wrong = names.filter((name) => NOT_INSIDE.test(name));
  check(wrong.length === 0, `the package has what it does not need: ${wrong.slice(0, 5).join(', ')}`);
  const prefix = path.join(folder, 'prefix');
  run('npm', ['install', '-g', '--prefix', prefix, '--no-audit', '--no-fund', path.join(folder, tarball)]);
  await startInstalled(prefix);
  console.log(`${tarball} installs and starts`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
