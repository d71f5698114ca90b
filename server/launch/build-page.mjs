// Bundles Forge's page: one entry, a chunk for each view, one style sheet, all named by their content.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { sveltePlugin } from './svelte-plugin.mjs';

const ENTRY = 'server/web/main.ts';
const FIRST_VIEW = 'shared/ui/connectors/Connectors.svelte';
/** What the first visit to Settings may cost on the wire. */
const MAX_FIRST_LOAD_BYTES = 120_000;

/** Writes the page into `out`, and says what the first load weighs. */
export async function buildPage({ root, out }) {
  const { build, transform } = await import('esbuild');
  const assets = path.join(out, 'assets');
  mkdirSync(assets, { recursive: true });
  const styles = new Map();
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['svelte', 'browser', 'production'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    plugins: [sveltePlugin(styles)],
    logLevel: 'warning',
  });
  const scripts = new Map(
    outputFiles
      .filter(({ path: file }) => file.endsWith('.js'))
      .map((file) => [path.basename(file.path), file.contents]),
  );
  for (const [name, bytes] of scripts) writeFileSync(path.join(assets, name), bytes);
  const base = outputFiles.find(({ path: file }) => file.endsWith('.css'))?.text ?? '';
  const own = [...styles].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, css]) => css);
  const { code: css } = await transform([base, ...own].join('\n'), { loader: 'css', minify: true, target: 'es2022' });
  const styleName = `app-${createHash('sha256').update(css).digest('base64url').slice(0, 8)}.css`;
  writeFileSync(path.join(assets, styleName), css);

  await buildConfirmation(root, out);

  const entry = outputOf(metafile, ENTRY);
  const needed = needs(metafile, entry);
  const html = fillIn(readFileSync(path.join(root, 'server', 'web', 'index.html'), 'utf8'), needed, styleName);
  writeFileSync(path.join(out, 'index.html'), html);

  const first = [...new Set([...needed, ...needs(metafile, outputOf(metafile, FIRST_VIEW))])];
  const bytes = [html, css, ...first.map((name) => scripts.get(name))].reduce(
    (sum, part) => sum + gzipSync(part).length,
    0,
  );
  checkWeight(bytes, MAX_FIRST_LOAD_BYTES);
  return bytes;
}

/** The document in which a person confirms something has a script and a style of its own, which the server writes into it. */
async function buildConfirmation(root, out) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: { confirm: 'server/web/confirm/main.ts', 'confirm-style': 'server/web/confirm/confirm.css' },
    outdir: out,
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  renameSync(path.join(out, 'confirm-style.css'), path.join(out, 'confirm.css'));
}

/** Throws when the page has grown beyond what a first visit may cost. */
export function checkWeight(bytes, limit) {
  if (bytes <= limit) return;
  throw new Error(
    `the first load of Settings is ${kB(bytes)} gzip; it may be ${kB(limit)}. Load what is not needed at once with import().`,
  );
}

export function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

function outputOf({ outputs }, source) {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (found === undefined) throw new Error(`the bundle has no ${source}`);
  return found[0];
}

/** A chunk and everything it imports before it can run, the chunk itself first. */
function needs({ outputs }, output, seen = new Set()) {
  if (seen.has(output)) return [];
  seen.add(output);
  const imported = outputs[output].imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
  return [path.basename(output), ...imported.flatMap(({ path: next }) => needs({ outputs }, next, seen))];
}

function fillIn(html, [entry, ...chunks], style) {
  const lines = [
    `<link rel="stylesheet" href="/assets/${style}" />`,
    ...chunks.map((name) => `<link rel="modulepreload" href="/assets/${name}" />`),
    `<script type="module" src="/assets/${entry}"></script>`,
  ];
  return html.replace('<!-- the build puts its files here -->', lines.join('\n    '));
}
