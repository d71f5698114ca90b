// npm run test:real: only the tests against a real service, and those with real MCP clients.
import { ensureClients } from '../e2e/testing/real-clients.mjs';
import { ensureVerdaccio } from '../e2e/testing/verdaccio.mjs';
import { checkNode, installPackages } from '../server/launch/prepare.mjs';
import { ensureBrowser } from './ensure-browser.mjs';
import { bin, runSteps } from './run-steps.mjs';

checkNode();
installPackages({ dev: true });
if (!ensureVerdaccio()) {
  console.error('Verdaccio could not be installed: is the npm registry within reach?');
  process.exit(1);
}
if (!ensureClients()) {
  console.error('The MCP clients could not be installed: is the npm registry within reach?');
  process.exit(1);
}
await ensureBrowser();
process.env.FORGE_REAL = '1';
process.env.FORGE_CLIENTS = '1';
await runSteps([
  ['build', process.execPath, 'server/launch/build.mjs'],
  [
    'real service',
    ...bin('vitest'),
    'run',
    '--project',
    'e2e',
    '--project',
    'e2e-server',
    'e2e/real-',
    '--reporter=verbose',
  ],
]);
