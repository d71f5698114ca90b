import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const BUILT_FOR = '127.0.0.1:8403';

/**
 * Copies a build of the extension for a Forge on another port, or with `*` for one on any port. Only the policy in its manifest differs, and
 * that is where the extension reads its port.
 */
export function copyExtension({ from, to, port }) {
  const stampFile = `${to}.json`;
  const stamp = stampOf(from, port);
  if (existsSync(to) && readStamp(stampFile) === stamp) return to;
  const next = `${to}.next-${process.pid}`;
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(from, next, { recursive: true });
  const manifest = path.join(next, 'manifest.json');
  const text = readFileSync(manifest, 'utf8').replaceAll(BUILT_FOR, `127.0.0.1:${port}`);
  writeFileSync(manifest, text);
  rmSync(to, { recursive: true, force: true });
  renameSync(next, to);
  writeFileSync(stampFile, `${JSON.stringify({ stamp })}\n`);
  return to;
}

function stampOf(folder, port) {
  const hash = createHash('sha256').update(`${port}\n`);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of names.map((entry) => path.join(entry.parentPath, entry.name)).sort())
    hash.update(`${path.relative(folder, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).stamp;
  } catch {
    // No copy has been finished yet.
    return null;
  }
}
