// The MCP inspector, a client nobody here wrote. It is larger than Forge, so it is not among the packages.
import path from 'node:path';
import { homeBeside, installBeside } from './install-beside.mjs';

const VERSION = '2.12.0';
const PACKAGE = '@modelcontextprotocol/inspector';

/** The program to start with Node. */
export const inspectorProgram = path.join(homeBeside('inspector', PACKAGE), 'clients', 'launcher', 'build', 'index.js');

/** True when the inspector is there, or could be installed. */
export function ensureInspector() {
  return installBeside('inspector', {
    packageName: PACKAGE,
    version: VERSION,
    title: `the MCP inspector ${VERSION} for the tests with its command line`,
  });
}
