// Packages of runtimes that Forge does not bring along, for the tests against the real ones. Half a gigabyte, so they are installed by
// `npm run test:runtimes` and otherwise only looked for.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const INSTALL_MS = 10 * 60 * 1000;
const CACHE = path.resolve(import.meta.dirname, '../node_modules/.cache/forge/runtimes');

const DEPENDENCIES = {
  '@anthropic-ai/claude-agent-sdk': '0.3.325',
  '@langchain/anthropic': '1.5.11',
  '@langchain/core': '1.2.13',
  '@langchain/google': '0.2.6',
  '@langchain/langgraph': '1.4.18',
  '@langchain/openai': '1.5.8',
  zod: '4.6.7',
};

/** npm writes its own lockfile last, so a broken installation counts as none. */
function areIn(folder) {
  const modules = path.join(folder, 'node_modules');
  const names = ['.package-lock.json', ...Object.keys(DEPENDENCIES)];
  return names.every((name) => existsSync(path.join(modules, name)));
}

/** The folder with all of them: the one FORGE_RUNTIMES names, else the tests' own; null when neither has them. */
export function findRuntimes() {
  return [process.env.FORGE_RUNTIMES, CACHE].find((folder) => folder && areIn(folder)) ?? null;
}

/** The same, after an attempt to install them where they are not; null without a registry to get them from. */
export function ensureRuntimes() {
  const found = findRuntimes();
  if (found !== null) return found;
  console.log('installing the Claude Agent SDK and LangGraph for the tests against real runtimes …');
  mkdirSync(CACHE, { recursive: true });
  const manifest = { name: 'forge-test-runtimes', private: true, dependencies: DEPENDENCIES };
  writeFileSync(path.join(CACHE, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const isWindows = process.platform === 'win32';
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1', '--loglevel=error'];
  spawnSync(isWindows ? 'npm.cmd' : 'npm', args, {
    cwd: CACHE,
    stdio: ['ignore', 2, 2],
    shell: isWindows,
    timeout: INSTALL_MS,
  });
  return findRuntimes();
}
