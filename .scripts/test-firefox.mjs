// npm run test:firefox: only the tests in Firefox.
import { OLDEST_FIREFOX } from '../e2e/testing/find-firefox.mjs';
import { checkNode, installPackages } from '../server/launch/prepare.mjs';
import { ensureFirefox } from './ensure-browser.mjs';
import { bin, runSteps } from './run-steps.mjs';

checkNode();
installPackages({ dev: true });
if (!ensureFirefox()) {
  console.error(
    `no Firefox ${OLDEST_FIREFOX} or newer was found, and none could be installed; install one as firefox-esr or firefox.`,
  );
  process.exit(1);
}
process.env.FORGE_FIREFOX = '1';
await runSteps([
  ['build', process.execPath, 'server/launch/build.mjs'],
  ['Firefox', ...bin('vitest'), 'run', '--project', 'e2e', 'e2e/firefox', '--reporter=verbose'],
]);
