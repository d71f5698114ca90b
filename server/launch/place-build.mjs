// Moves a finished build into dist/ and removes the files of builds that nothing runs from any more.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A server that was started from one of these may still have to load a file of it. */
const EARLIER_BUILDS = 3;
const EARLIER = 'earlier-builds.json';
/** What a build consists of; the extension beside it is another one's. */
const OURS = /^(?:[^/]+\.js(?:\.map)?|web\/.+)$/;

/** Every file below a folder, by its path there. */
export function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .map((name) => name.replaceAll('\\', '/'));
}

/** Moves the build in `next` to `dist`, the entry point and then the stamp last, so that a running command never sees half a build. */
export function placeBuild({ next, dist }) {
  const files = filesIn(next);
  const earlier = earlierBuilds(dist, files).slice(0, EARLIER_BUILDS);
  mkdirSync(dist, { recursive: true });
  // Not in build.json, which the package contains.
  writeFileSync(path.join(dist, EARLIER), `${JSON.stringify(earlier)}\n`);
  const isLast = (name) => Number(name === 'forge.js') + 2 * Number(name === 'build.json');
  for (const name of files.sort((a, b) => isLast(a) - isLast(b))) {
    mkdirSync(path.dirname(path.join(dist, name)), { recursive: true });
    renameSync(path.join(next, name), path.join(dist, name));
  }
  rmSync(next, { recursive: true, force: true });
  const needed = new Set([...files, ...earlier.flat()]);
  for (const name of builtFiles(dist)) if (!needed.has(name)) rmSync(path.join(dist, name), { force: true });
}

/** The lists of files of the builds before this one, the newest first. One that was built again without a change counts once. */
function earlierBuilds(dist, files) {
  const last = read(path.join(dist, 'build.json'))?.files;
  const others = read(path.join(dist, EARLIER));
  const lists = [last, ...(Array.isArray(others) ? others : [])].filter(Array.isArray);
  const isOther = (list) => list.some((name) => !files.includes(name));
  return [...new Set(lists.filter(isOther).map((list) => JSON.stringify(list)))].map((text) => JSON.parse(text));
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // There was no build before, or one that was cut off: its files are not known.
    return null;
  }
}

function builtFiles(dist) {
  const own = readdirSync(dist).filter((name) => statSync(path.join(dist, name)).isFile());
  return [...own, ...filesIn(path.join(dist, 'web')).map((name) => `web/${name}`)].filter((name) => OURS.test(name));
}
