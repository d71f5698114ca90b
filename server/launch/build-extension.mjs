// Builds the extension for a browser, when it is not built yet. Plain JavaScript: it runs before anything has been built.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sourceStamp } from './build.mjs';
import { root } from './prepare.mjs';

const SOURCES = ['package-lock.json', 'wxt.config.ts', 'extension', 'shared'];

/**
 * Returns the folder of a build that is up to date. What people install speaks to Forge's own port alone; `anyPort` is for a Forge that
 * listens elsewhere, such as those of the tests.
 */
export function buildExtension({ anyPort = false, browser = 'chrome' } = {}) {
  const out = path.join(root, 'dist', anyPort ? 'extension-any-port' : 'extension');
  const folder = path.join(out, `${browser}-mv3`);
  const stampFile = path.join(out, `${browser}-mv3.json`);
  const stamp = sourceStamp(SOURCES);
  const isBuilt = existsSync(path.join(folder, 'manifest.json')) && existsSync(stampFile);
  if (isBuilt && JSON.parse(readFileSync(stampFile, 'utf8')).stamp === stamp) return folder;
  const wxt = path.join(root, 'node_modules', 'wxt', 'bin', 'wxt.mjs');
  const args = [wxt, 'build', '-b', browser, '--mv3'];
  const env = { ...process.env, ...(anyPort ? { FORGE_EXTENSION_ANY_PORT: '1' } : {}) };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the extension could not be built:\n${stdout}${stderr}`);
  writeFileSync(stampFile, `${JSON.stringify({ stamp })}\n`);
  return folder;
}
