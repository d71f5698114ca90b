// Says whether dist/ is as new as the sources. Every command of a clone waits for this, so it loads nothing of the bundler.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..', '..');
const dist = path.join(root, 'dist');
const SOURCES = ['package.json', 'package-lock.json', 'server', 'shared'];

/** Changes when a source file does; names, sizes and times are enough, and take a few milliseconds. */
export function sourceStamp(sources = SOURCES) {
  const files = [];
  const addFile = (place) => {
    const { size, mtimeMs } = statSync(`${root}/${place}`);
    files.push(`${place}\0${size}\0${mtimeMs}\n`);
  };
  const addFolder = (folder) => {
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      if (entry.isDirectory()) {
        if (entry.name !== 'fixtures') addFolder(`${folder}/${entry.name}`);
      } else if (!entry.name.endsWith('.test.ts')) addFile(`${folder}/${entry.name}`);
    }
  };
  for (const source of sources) {
    if (statSync(`${root}/${source}`).isDirectory()) addFolder(source);
    else addFile(source);
  }
  return createHash('sha256').update(files.sort().join('')).digest('hex');
}

/** True when dist/ was made from the sources as they are now. An installed package without sources is always fresh. */
export function isBuilt() {
  const stampFile = path.join(dist, 'build.json');
  if (!existsSync(path.join(dist, 'forge.js')) || !existsSync(stampFile)) return false;
  if (!existsSync(path.join(root, 'server', 'main.ts'))) return true;
  return JSON.parse(readFileSync(stampFile, 'utf8')).stamp === sourceStamp();
}
