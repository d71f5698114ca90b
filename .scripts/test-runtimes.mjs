// npm run test:runtimes: only the tests against real runtimes.
import { checkNode, installPackages } from '../server/launch/prepare.mjs';
import { bin, runSteps } from './run-steps.mjs';
import { ensureRuntimes } from './runtimes.mjs';

checkNode();
installPackages({ dev: true });
const folder = ensureRuntimes();
if (folder === null) {
  console.error('the runtimes could not be installed: is the npm registry within reach?');
  process.exit(1);
}
process.env.FORGE_RUNTIMES = folder;
await runSteps([
  ['real runtimes', ...bin('vitest'), 'run', '--project', 'unit', 'server/chat/real-runtimes', '--reporter=verbose'],
]);
