// npm run test:thorough: the tests that try a property or kill a process many times, all of them whole. `npm test` runs a part of each.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkNode, installPackages, root } from '../server/launch/prepare.mjs';
import { bin, runSteps } from './run-steps.mjs';

/** Test files that ask how thorough they are to be. */
function longProofs(folder) {
  return readdirSync(path.join(root, folder), { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => readFileSync(path.join(root, file), 'utf8').includes('testing/rounds.ts'));
}

const REPORTERS = ['--reporter=dot', '--reporter=./.scripts/count-reporter.mjs'];

checkNode();
installPackages({ dev: true });
process.env.FORGE_THOROUGH = '1';
await runSteps([
  ['build', process.execPath, 'server/launch/build.mjs'],
  [
    'long proofs',
    ...bin('vitest'),
    'run',
    ...['--project', 'unit', '--testTimeout=900000'],
    ...REPORTERS,
    ...longProofs('server'),
    ...longProofs('shared'),
  ],
  [
    'long proofs across processes',
    ...bin('vitest'),
    'run',
    '--project',
    'e2e-server',
    ...REPORTERS,
    ...longProofs('e2e'),
  ],
  ['zips of the extension', ...bin('vitest'), 'run', '--project', 'e2e', ...REPORTERS, 'e2e/extension-zip.test.ts'],
]);
