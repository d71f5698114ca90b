// Directus, a real service nobody here wrote, on SQLite. It needs a newer Node than the oldest that Forge supports, so it gets one of its own.
import path from 'node:path';
import { homeBeside, installBeside } from './install-beside.mjs';

const VERSION = '11.17.4';
const NODE_VERSION = '22.23.3';
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** The program, and the Node to start it with. */
export const directusProgram = path.join(homeBeside('directus', 'directus'), 'cli.js');
export const directusNode = path.join(homeBeside('directus', NODE_PACKAGE), 'bin', 'node');

/** True when Directus is there, or could be installed. */
export function ensureDirectus() {
  return installBeside('directus', {
    packageName: 'directus',
    version: VERSION,
    release: { packageName: NODE_PACKAGE, version: NODE_VERSION },
    built: { sqlite3: 'build/Release/node_sqlite3.node', 'isolated-vm': 'out/isolated_vm.node' },
    title: `Directus ${VERSION} (a gigabyte, and two packages that may have to be compiled)`,
  });
}
