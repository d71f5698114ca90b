// npm test: from a fresh clone to the last test. Installs what is missing, a browser included.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { OLDEST_FIREFOX } from '../e2e/testing/find-firefox.mjs';
import { checkNode, installPackages } from '../server/launch/prepare.mjs';
import { STATIC_CHECKS, UNIT_TESTS } from './check.mjs';
import { ensureBrowser, ensureFirefox } from './ensure-browser.mjs';
import { bin, runSideBySide, runSteps } from './run-steps.mjs';
import { findRuntimes } from './runtimes.mjs';

/** Programs the tests call as a person would; Debian has them under these names. */
const PROGRAMS = ['curl', 'jq', 'git'];

function has(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

function installPrograms() {
  const missing = PROGRAMS.filter((program) => !has(program));
  // A server of its own is what the ssh tools are tested against.
  if (!existsSync('/usr/sbin/sshd')) missing.push('openssh-server');
  if (missing.length === 0) return;
  console.log(`installing ${missing.join(', ')} …`);
  spawnSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 2] });
  const { status } = spawnSync('apt-get', ['install', '-y', '-qq', ...missing], { stdio: ['ignore', 'ignore', 2] });
  if (status === 0) return;
  console.error(
    `the tests need ${missing.join(', ')}; install them with your system's package manager and run npm test again.`,
  );
  process.exit(1);
}

const REPORTERS = ['--reporter=verbose', '--reporter=./.scripts/count-reporter.mjs'];

const NO_REAL_SERVICE = `
!! Verdaccio could not be installed: is the npm registry within reach?
!! The tests against a real service (e2e/real-service.test.ts, e2e/real-page.test.ts) ARE LEFT OUT. \`npm run test:real\` runs them alone.
`;

/** The steps inherit the environment, and vitest.config.ts leaves the tests out without this. */
async function ensureRealService() {
  const { ensureVerdaccio } = await import('../e2e/testing/verdaccio.mjs');
  const isThere = ensureVerdaccio();
  if (isThere) process.env.FORGE_REAL = 'verdaccio';
  else delete process.env.FORGE_REAL;
  return isThere;
}

const NO_INSPECTOR = `
!! The MCP inspector could not be installed: is the npm registry within reach?
!! The tests with its command line (e2e/mcp-inspector.test.ts) ARE LEFT OUT.
`;

/** As above. */
async function prepareInspector() {
  const { ensureInspector, inspectorProgram } = await import('../e2e/testing/inspector.mjs');
  const isThere = ensureInspector();
  if (isThere) process.env.FORGE_INSPECTOR = inspectorProgram;
  else delete process.env.FORGE_INSPECTOR;
  return isThere;
}

const NO_CONFORMANCE = `
!! The newest MCP conformance suite, or a Node for it, could not be installed: is the npm registry within reach?
!! e2e/mcp-conformance.test.ts runs the older suite, which knows no revision after 2025-11-25.
`;

const NO_FIREFOX = `
!! No Firefox ${OLDEST_FIREFOX} or newer is installed, and none could be installed.
!! The tests in Firefox (e2e/firefox.test.ts) ARE LEFT OUT. \`npm run test:firefox\` runs them alone.
`;

/** As above. */
function prepareFirefox() {
  const isThere = ensureFirefox();
  if (isThere) process.env.FORGE_FIREFOX = '1';
  else delete process.env.FORGE_FIREFOX;
  return isThere;
}

const NO_RUNTIMES = `
!! The Claude Agent SDK and LangGraph are not installed.
!! The tests against real runtimes (server/chat/real-runtimes.test.ts) ARE LEFT OUT. \`npm run test:runtimes\` installs them
!! (half a gigabyte) and runs these tests alone; from then on they are part of \`npm test\`.
`;

/** As above. */
function lookForRuntimes() {
  const folder = findRuntimes();
  if (folder !== null) process.env.FORGE_RUNTIMES = folder;
  else delete process.env.FORGE_RUNTIMES;
  return folder !== null;
}

checkNode();
console.log('preparing: packages, a browser, a few programs, a real service, a client');
installPackages({ dev: true });
installPrograms();
await ensureBrowser();
const isReal = await ensureRealService();
const hasInspector = await prepareInspector();
const { ensureConformance } = await import('../e2e/testing/conformance.mjs');
const hasConformance = ensureConformance();
const isFirefox = prepareFirefox();
const hasRuntimes = lookForRuntimes();
const missing = [
  ...(isReal ? [] : [NO_REAL_SERVICE]),
  ...(hasInspector ? [] : [NO_INSPECTOR]),
  ...(hasConformance ? [] : [NO_CONFORMANCE]),
  ...(isFirefox ? [] : [NO_FIREFOX]),
  ...(hasRuntimes ? [] : [NO_RUNTIMES]),
];
for (const notice of missing) console.error(notice);
await runSideBySide([...STATIC_CHECKS, ['build', process.execPath, 'server/launch/build.mjs']]);
await runSteps([
  ...UNIT_TESTS,
  ['build of the extension for Firefox', ...bin('wxt'), 'build', '-b', 'firefox', '--mv3'],
  ['Mozilla’s linter on it', ...bin('addons-linter'), 'dist/extension/firefox-mv3'],
]);
await runSideBySide([
  ['end-to-end tests with the extension', ...bin('vitest'), 'run', '--project', 'e2e', ...REPORTERS],
  ['end-to-end tests of the server and its pages', ...bin('vitest'), 'run', '--project', 'e2e-server', ...REPORTERS],
]);
for (const notice of missing) console.error(notice);
console.log(missing.length === 0 ? '\nall green' : '\nall green, without the tests named above');
