// Bundles the server and its page into dist/. Plain JavaScript: it runs before anything has been built.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage, kB } from './build-page.mjs';
import { loadedBefore } from './loaded-before.mjs';
import { filesIn, placeBuild } from './place-build.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const dist = path.join(root, 'dist');
const stampFile = path.join(dist, 'build.json');
const SOURCES = ['package.json', 'package-lock.json', 'server', 'shared'];
// Loaded when needed, and not bundled: they bring native parts, or are left out of most starts.
export const EXTERNAL = ['@photostructure/sqlite', '@napi-rs/keyring', 'playwright', 'ssh2'];
// Koa and a package below it bring a table of all media types each; one will do.
const ALIAS = { 'mime-types': path.join(root, 'node_modules', 'mime-types') };

/** Changes when a source file does; names and times are enough, and take a few milliseconds. */
export function sourceStamp(sources = SOURCES) {
  const hash = createHash('sha256');
  const addFile = (place, { size, mtimeMs }) => hash.update(`${place}\0${size}\0${mtimeMs}\n`);
  // Every command of a clone waits for this, so what does not count is not looked at.
  const addFolder = (folder) => {
    const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'fixtures') addFolder(place);
      } else if (!entry.name.endsWith('.test.ts')) addFile(place, statSync(path.join(root, place)));
    }
  };
  for (const source of sources) {
    const stats = statSync(path.join(root, source));
    if (stats.isDirectory()) addFolder(source);
    else addFile(source, stats);
  }
  return hash.digest('hex');
}

/** True when dist/ was made from the sources as they are now. An installed package without sources is always fresh. */
export function isBuilt() {
  if (!existsSync(path.join(dist, 'forge.js')) || !existsSync(stampFile)) return false;
  if (!existsSync(path.join(root, 'server', 'main.ts'))) return true;
  return JSON.parse(readFileSync(stampFile, 'utf8')).stamp === sourceStamp();
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
  writeFileSync(path.join(next, 'build.json'), `${JSON.stringify({ stamp, files: filesIn(next) })}\n`);
  placeBuild({ next, dist });
  return { firstLoad };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { firstLoad } = await build();
  console.log(`the first load of Settings is ${kB(firstLoad)} gzip`);
}
