// Verdaccio, a real service nobody here wrote.
import path from 'node:path';
import { homeBeside, installBeside } from './install-beside.mjs';

const VERSION = '6.1.6';

/** The program to start with Node. */
export const verdaccioProgram = path.join(homeBeside('verdaccio', 'verdaccio'), 'bin', 'verdaccio');

/** True when Verdaccio is there, or could be installed. */
export function ensureVerdaccio() {
  return installBeside('verdaccio', {
    packageName: 'verdaccio',
    version: VERSION,
    overrides: { 'node-fetch': '2.7.0' },
    title: `Verdaccio ${VERSION} for the tests against a real service`,
  });
}
