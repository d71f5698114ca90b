// The official MCP conformance suite in its newest line. It needs Node 22, so it and, where this Node is older, a newer one are installed beside.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { homeBeside, installBeside } from './install-beside.mjs';

const VERSION = '0.2.0-alpha.12';
const PACKAGE = '@modelcontextprotocol/conformance';
const OLDEST_NODE = 22;
const NODE_VERSION = '24.21.0';
/** Node as a package of the registry; there is one for each platform. */
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

const suite = path.join(homeBeside('conformance', PACKAGE), 'dist', 'index.js');
const isNewEnough = Number.parseInt(process.versions.node, 10) >= OLDEST_NODE;
const node = isNewEnough ? process.execPath : path.join(homeBeside('node', NODE_PACKAGE), 'bin', 'node');

/** How to start it; null where it was not installed. */
export function newestConformance() {
  return existsSync(suite) && existsSync(node) ? { node, suite } : null;
}

/** True when the suite and a Node for it are there, or could be installed. */
export function ensureConformance() {
  const hasNode =
    isNewEnough ||
    installBeside('node', {
      packageName: NODE_PACKAGE,
      version: NODE_VERSION,
      title: `Node ${NODE_VERSION} for the newest MCP conformance suite`,
    });
  return (
    hasNode &&
    installBeside('conformance', {
      packageName: PACKAGE,
      version: VERSION,
      title: `the MCP conformance suite ${VERSION}`,
    })
  );
}
