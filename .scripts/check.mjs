// npm run check: everything that needs no browser and no build.
import { checkNode, installPackages } from '../server/launch/prepare.mjs';
import { bin, runSideBySide, runSteps } from './run-steps.mjs';

/** What looks at the sources without running them, the longest first. */
export const STATIC_CHECKS = [
  // The page and the extension share most of their components, so one look at both is shorter by half.
  ['types of the components', ...bin('svelte-check'), '--tsconfig', './tsconfig.ui.json', '--fail-on-warnings'],
  ['lint and types', ...bin('oxlint'), '.', '--deny-warnings'],
  ['format of the components', ...bin('prettier'), '--check', '--log-level', 'warn', '**/*.svelte'],
  ['format of everything else', ...bin('oxfmt'), '--check', '.'],
  ['unused code', ...bin('knip')],
  ['schema for editors is current', ...bin('tsx'), '.scripts/schema.ts', '--check'],
  ['registry is current', ...bin('tsx'), '.scripts/registry.ts', '--check'],
];

export const UNIT_TESTS = [
  [
    'unit tests',
    ...bin('vitest'),
    'run',
    '--project',
    'unit',
    '--reporter=dot',
    '--reporter=./.scripts/count-reporter.mjs',
  ],
  ['requirements have tests', ...bin('tsx'), '.scripts/requirements.ts', '--from-run'],
];

if (process.argv[1]?.endsWith('check.mjs')) {
  checkNode();
  installPackages({ dev: true });
  await runSideBySide(STATIC_CHECKS);
  await runSteps(UNIT_TESTS);
}
