import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The code of a thread or process that runs bundled; inside the project, so that it finds packages. Whoever asks for it removes it. */
export async function bundled(source: string): Promise<URL> {
  const root = path.join(import.meta.dirname, '../..');
  const outfile = path.join(root, 'node_modules/.cache/forge', `${path.basename(source, '.ts')}-${process.pid}.mjs`);
  const entryPoints = [path.join(root, source)];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  return pathToFileURL(outfile);
}
