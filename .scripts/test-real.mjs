// npm run test:real: only the tests against software nobody here wrote: services, and clients that speak MCP.
import { ensureDirectus } from '../e2e/testing/directus.mjs';
import { ensureMediawiki } from '../e2e/testing/mediawiki.mjs';
import { clientNames, ensureClient } from '../e2e/testing/real-clients.mjs';
import { ensureVerdaccio } from '../e2e/testing/verdaccio.mjs';
import { checkNode, installPackages } from '../server/launch/prepare.mjs';
import { ensureBrowser } from './ensure-browser.mjs';
import { bin, runSteps } from './run-steps.mjs';

const FROM_NPM = 'is the npm registry within reach?';
const SERVICES = [
  ['verdaccio', ensureVerdaccio, FROM_NPM],
  ['mediawiki', ensureMediawiki, 'install mediawiki, php-cli and php-sqlite3, or run this as root on Debian.'],
  [
    'directus',
    ensureDirectus,
    `${FROM_NPM} Two of its packages are compiled where no ready-made ones can be downloaded.`,
  ],
];

const notices = [];
const leaveOut = (name, why) =>
  notices.push(`!! ${name} could not be installed: ${why}\n!! The tests with ${name} ARE LEFT OUT.`);

checkNode();
installPackages({ dev: true });
await ensureBrowser();
const services = SERVICES.filter(([name, ensure, why]) => ensure() || void leaveOut(name, why)).map(([name]) => name);
const clients = clientNames.filter((name) => ensureClient(name) || void leaveOut(name, FROM_NPM));
for (const notice of notices) console.error(notice);
if (services.length === 0 && clients.length === 0) process.exit(1);

process.env.FORGE_REAL = [...services, ...(clients.length === 0 ? [] : ['clients'])].join(',');
process.env.FORGE_CLIENTS = clients.join(',');
const PROJECTS = ['--project', 'e2e', '--project', 'e2e-server'];
await runSteps([
  ['build', process.execPath, 'server/launch/build.mjs'],
  ['real software', ...bin('vitest'), 'run', ...PROJECTS, 'e2e/real-', '--reporter=verbose'],
]);
for (const notice of notices) console.error(notice);
console.log(notices.length === 0 ? '\nall green' : '\nall green, without the tests named above');
