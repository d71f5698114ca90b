// Bundles the server and its page into dist/. Plain JavaScript: it runs before anything has been built.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage, kB } from './build-page.mjs';
import { COMPILE_CACHE } from './compile-cache.mjs';
import { loadedBefore } from './loaded-before.mjs';
import { filesIn, placeBuild } from './place-build.mjs';
import { sourceStamp } from './source-stamp.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const dist = path.join(root, 'dist');
// Loaded when needed, and not bundled: they bring native parts, or are left out of most starts.
export const EXTERNAL = ['@photostructure/sqlite', '@napi-rs/keyring', 'playwright', 'ssh2'];
// Koa and a package below it bring a table of all media types each; one will do.
const ALIAS = { 'mime-types': path.join(root, 'node_modules', 'mime-types') };

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
  // What it holds of earlier builds is never read again.
  rmSync(COMPILE_CACHE, { recursive: true, force: true });
  return { firstLoad };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { firstLoad } = await build();
  console.log(`the first load of Settings is ${kB(firstLoad)} gzip`);
}
