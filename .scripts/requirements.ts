// npm run requirements: which tests prove which requirement. Fails when a P1 line of docs/requirements.md has none.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PASSED_FILE } from './count-reporter.mjs';
import { titlesIn } from './test-titles.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const ID = /\b[CDEGKWX]-\d+[a-z]?\b/g;

interface Requirement {
  id: string;
  priority: string;
  text: string;
}

function readRequirements(): Requirement[] {
  const table = readFileSync(path.join(ROOT, 'docs/requirements.md'), 'utf8');
  return [...table.matchAll(/^\|\s*([CDEGKWX]-\d+[a-z]?)\s*\|\s*(P\d)\s*\|\s*(.+?)\s*\|$/gm)].map(
    ([, id = '', priority = '', text = '']) => ({ id, priority, text }),
  );
}

interface Test {
  name: string;
  file: string;
  /** It was not seen to pass: its title stands in a file that this run did not run. */
  isUnseen?: boolean;
}

/**
 * What the last run saw pass (`--from-run`) and the titles of end-to-end tests, which run later; or what the runner finds: titles made
 * from tables count, commented-out tests do not.
 */
function listTests(): Test[] {
  if (process.argv.includes('--from-run')) {
    return [...(JSON.parse(readFileSync(PASSED_FILE, 'utf8')) as Test[]), ...endToEndTests(path.join(ROOT, 'e2e'))];
  }
  const output = execFileSync('npx', ['--no-install', 'vitest', 'list', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(output.slice(output.indexOf('['))) as Test[];
}

function endToEndTests(folder: string): Test[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.join(folder, name))
    .flatMap((file) => titlesIn(readFileSync(file, 'utf8')).map((name) => ({ name, file, isUnseen: true })));
}

const requirements = readRequirements();
if (requirements.length === 0) throw new Error('docs/requirements.md has no table of requirements');

const proofs = new Map<string, string[]>();
for (const { name, file, isUnseen } of listTests()) {
  for (const id of new Set(name.match(ID) ?? [])) {
    proofs.set(id, [
      ...(proofs.get(id) ?? []),
      `${path.relative(ROOT, file)} > ${name}${isUnseen === true ? ' (not run here)' : ''}`,
    ]);
  }
}

const verbose = process.argv.includes('--all');
const unproven: Requirement[] = [];
for (const requirement of requirements) {
  const tests = proofs.get(requirement.id) ?? [];
  if (tests.length === 0) unproven.push(requirement);
  console.log(
    `${requirement.id.padEnd(6)} ${requirement.priority}  ${String(tests.length).padStart(3)} tests  ${requirement.text}`,
  );
  for (const test of verbose ? tests : tests.slice(0, 1)) console.log(`              ${test.slice(0, 150)}`);
}
const failing = unproven.filter(({ priority }) => priority === 'P1');
if (failing.length > 0) {
  console.error(`\nno test proves ${failing.map(({ id }) => id).join(', ')}`);
  process.exit(1);
}
console.log(`\n${requirements.length} requirements in scope, ${unproven.length} without a test`);
