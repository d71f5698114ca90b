// npm run check: everything that needs no browser and no build.
import { checkNode, installPackages } from '../server/launch/prepare.mjs';
import { bin, runSteps } from './run-steps.mjs';

export const CHECKS = [
  ['format', ...bin('prettier'), '--check', '--log-level', 'warn', '.'],
  ['types', ...bin('tsc'), '--noEmit'],
  ['types of the page', ...bin('tsc'), '--noEmit', '-p', 'server/web'],
  ['types of the extension', ...bin('svelte-check'), '--tsconfig', './extension/tsconfig.json', '--fail-on-warnings'],
  ['types of the e2e tests', ...bin('tsc'), '--noEmit', '-p', 'e2e'],
  ['lint', ...bin('eslint'), '.', '--max-warnings', '0'],
  ['unused code', ...bin('knip')],
  ['schema for editors is current', ...bin('tsx'), '.scripts/schema.ts', '--check'],
  ['registry is current', ...bin('tsx'), '.scripts/registry.ts', '--check'],
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
  await runSteps(CHECKS);
}
