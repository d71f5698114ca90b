// Bundles the server and its page into dist/. Plain JavaScript: it runs before anything has been built.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage, kB } from './build-page.mjs';
import { loadedBefore } from './loaded-before.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const dist = path.join(root, 'dist');
const stampFile = path.join(dist, 'build.json');
const SOURCES = ['package.json', 'package-lock.json', 'server', 'shared'];
const OLD_FILES_MS = 7 * 24 * 60 * 60 * 1000;
// Loaded when needed, and not bundled: they bring native parts, or are left out of most starts.
export const EXTERNAL = ['@photostructure/sqlite', '@napi-rs/keyring', 'playwright', 'ssh2'];
// Koa and a package below it bring a table of all media types each; one will do.
const ALIAS = { 'mime-types': path.join(root, 'node_modules', 'mime-types') };

/** Changes when a source file does; names and times are enough, and take a few milliseconds. */
export function sourceStamp(sources = SOURCES) {
  const hash = createHash('sha256');
  const visit = (place) => {
    const stats = statSync(place);
    if (stats.isDirectory()) {
      for (const name of readdirSync(place).sort()) if (name !== 'fixtures') visit(path.join(place, name));
    } else if (!place.endsWith('.test.ts')) {
      hash.update(`${path.relative(root, place)}\0${stats.size}\0${stats.mtimeMs}\n`);
    }
  };
  for (const source of sources) visit(path.join(root, source));
  return hash.digest('hex');
}

/** True when dist/ was made from the sources as they are now. An installed package without sources is always fresh. */
export function isBuilt() {
  if (!existsSync(path.join(dist, 'forge.js')) || !existsSync(stampFile)) return false;
  if (!existsSync(path.join(root, 'server', 'main.ts'))) return true;
  return JSON.parse(readFileSync(stampFile, 'utf8')).stamp === sourceStamp();
}

/**
 * Moves a finished build into dist/, the entry point last. Files of earlier builds stay for a week: a server that was started
 * from them may still have to load one.
 */
function replaceInPlace(next) {
  mkdirSync(path.join(dist, 'web', 'assets'), { recursive: true });
  const files = readdirSync(next, { recursive: true }).filter((name) => statSync(path.join(next, name)).isFile());
  const isLast = (name) => Number(name === 'forge.js') + 2 * Number(name === 'build.json');
  for (const name of files.sort((a, b) => isLast(a) - isLast(b)))
    renameSync(path.join(next, name), path.join(dist, name));
  rmSync(next, { recursive: true, force: true });
  for (const name of readdirSync(dist)) {
    const file = path.join(dist, name);
    const stats = statSync(file);
    const isOld = stats.isFile() && Date.now() - stats.mtimeMs > OLD_FILES_MS;
    if (isOld && !files.includes(name)) rmSync(file, { force: true });
  }
}

/** Builds into a folder beside dist/ first, so that a running command never sees half a build. */
export async function build() {
  const { build: bundle } = await import('esbuild');
  const stamp = sourceStamp();
  const next = path.join(root, `.dist-${process.pid}`);
  rmSync(next, { recursive: true, force: true });
  mkdirSync(path.join(next, 'web'), { recursive: true });
  await bundle({
    absWorkingDir: root,
    entryPoints: {
      forge: 'server/cli/forge.ts',
      'call-log-thread': 'server/calls/writer-thread.ts',
      'call-log-reader': 'server/calls/reader-thread.ts',
      'lint-thread': 'server/connectors/lint-thread.ts',
      'large-results': 'server/tools/large-results-thread.ts',
      'pattern-thread': 'server/tools/pattern-thread.ts',
      'shell-spawner': 'server/runners/shell/spawner/spawner-process.ts',
    },
    outdir: next,
    bundle: true,
    splitting: true,
    // Beside the entry: code that finds the project by its own place must lie one level below the root in every chunk.
    chunkNames: '[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: EXTERNAL,
    alias: ALIAS,
    plugins: [loadedBefore(root)],
    // Some bundled packages are CommonJS and ask for Node's own modules with require.
    banner: {
      js: "import { createRequire as __forgeRequire } from 'node:module'; const require = __forgeRequire(import.meta.url);",
    },
    // Less to read at every start; names stay, so that a stack trace says something.
    minifyWhitespace: true,
    minifySyntax: true,
    define: { FORGE_BUILD: JSON.stringify(stamp.slice(0, 16)) },
    sourcemap: 'linked',
    logLevel: 'warning',
  });
  const firstLoad = await buildPage({ root, out: path.join(next, 'web') });
  // The package holds these and not what earlier builds have left.
  const files = readdirSync(next, { recursive: true }).filter((name) => statSync(path.join(next, name)).isFile());
  writeFileSync(path.join(next, 'build.json'), `${JSON.stringify({ stamp, files })}\n`);
  replaceInPlace(next);
  return { firstLoad };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { firstLoad } = await build();
  console.log(`the first load of Settings is ${kB(firstLoad)} gzip`);
}
