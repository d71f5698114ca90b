// npm test: from a fresh clone to the last test. Installs what is missing, a browser included.
import { fork, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { checkNode, installPackages } from '../server/launch/prepare.mjs';
import { STATIC_CHECKS, UNIT_TESTS } from './check.mjs';
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

const NO_RUNTIMES = `
!! The Claude Agent SDK and LangGraph are not installed.
!! The tests against real runtimes (server/chat/real-runtimes.test.ts) ARE LEFT OUT. \`npm run test:runtimes\` installs them
!! (half a gigabyte) and runs these tests alone; from then on they are part of \`npm test\`.
`;

/** The steps inherit the environment, and vitest.config.ts leaves tests out without these. */
const FOUND_VARIABLES = ['FORGE_REAL', 'FORGE_INSPECTOR', 'FORGE_FIREFOX', 'FORGE_RUNTIMES'];

/** Installs the rest in the background; resolves with what there is then. */
function prepareEndToEnd() {
  const child = fork(new URL('./prepare-e2e.mjs', import.meta.url));
  process.once('exit', () => child.kill());
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.once('exit', (code) => {
      if (code !== 0) process.exit(1);
    });
  });
}

checkNode();
for (const name of FOUND_VARIABLES) delete process.env[name];
console.log('preparing: packages and a few programs; browsers, a real service and a client are installed meanwhile');
installPackages({ dev: true });
installPrograms();
const prepared = prepareEndToEnd();
const runtimes = findRuntimes();
if (runtimes !== null) process.env.FORGE_RUNTIMES = runtimes;
await runSideBySide([...STATIC_CHECKS, ['build', process.execPath, 'server/launch/build.mjs']]);
await runSteps(UNIT_TESTS);
const { env, missing } = await prepared;
Object.assign(process.env, env);
if (runtimes === null) missing.push(NO_RUNTIMES);
for (const notice of missing) console.error(notice);
await runSteps([
  ['build of the extension for Firefox', ...bin('wxt'), 'build', '-b', 'firefox', '--mv3'],
  ['Mozilla’s linter on it', ...bin('addons-linter'), 'dist/extension/firefox-mv3'],
]);
await runSideBySide([
  ['end-to-end tests with the extension', ...bin('vitest'), 'run', '--project', 'e2e', ...REPORTERS],
  ['end-to-end tests of the server and its pages', ...bin('vitest'), 'run', '--project', 'e2e-server', ...REPORTERS],
]);
for (const notice of missing) console.error(notice);
console.log(missing.length === 0 ? '\nall green' : '\nall green, without the tests named above');
