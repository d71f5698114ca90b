import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const BUILT_FOR = '127.0.0.1:8403';
const STAMP = 'copied.json';

/**
 * Copies a build of the extension for a Forge on another port, or with `*` for one on any port. Only the policy in its manifest differs, and
 * that is where the extension reads its port.
 */
export function copyExtension({ from, to, port }) {
  const stamp = stampOf(from, port);
  if (stampIn(to) === stamp) return to;
  const next = `${to}.next-${process.pid}`;
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(from, next, { recursive: true });
  const manifest = path.join(next, 'manifest.json');
  const text = readFileSync(manifest, 'utf8').replaceAll(BUILT_FOR, `127.0.0.1:${port}`);
  writeFileSync(manifest, text);
  writeFileSync(path.join(next, STAMP), `${JSON.stringify({ stamp })}\n`);
  while (!putInPlace(next, to)) {
    // Another process was faster. The stamp is a part of its copy, so a copy that has the right one is whole.
    if (stampIn(to) === stamp) break;
  }
  rmSync(next, { recursive: true, force: true });
  return to;
}

/** Whole folders are moved, so nobody ever finds half a copy. False when there is another one in its place by then. */
function putInPlace(next, to) {
  const old = `${to}.old-${process.pid}`;
  try {
    renameSync(to, old);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  try {
    renameSync(next, to);
    return true;
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'EPERM') throw error;
    return false;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

function stampOf(folder, port) {
  const hash = createHash('sha256').update(`${port}\n`);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of names.map((entry) => path.join(entry.parentPath, entry.name)).sort())
    hash.update(`${path.relative(folder, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function stampIn(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, STAMP), 'utf8')).stamp;
  } catch {
    // There is no copy yet, or one of a Forge that kept its stamp elsewhere.
    return null;
  }
}
