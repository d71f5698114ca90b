// Closes a test run with what took longest and one plain line, and keeps the titles of what passed for the list of requirements.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const PASSED_FILE = path.resolve(import.meta.dirname, '../node_modules/.cache/forge/passed-tests.json');

const SLOWEST = 10;

/** Where the time of a run goes, so that whoever wants it shorter knows where to begin. */
function printSlowest(modules) {
  const files = modules.map((module) => ({
    file: path.relative(path.resolve(import.meta.dirname, '..'), module.moduleId),
    seconds: module.diagnostic().duration / 1000,
  }));
  files.sort((a, b) => b.seconds - a.seconds);
  const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
  console.log(`\n${files.length} files took ${all.toFixed(0)} s, the longest of them:`);
  for (const { file, seconds } of files.slice(0, SLOWEST)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
}

export default class CountReporter {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const passed = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state] = (counts[state] ?? 0) + 1;
        if (state === 'passed') passed.push({ name: test.fullName, file: module.moduleId });
      }
    }
    mkdirSync(path.dirname(PASSED_FILE), { recursive: true });
    writeFileSync(PASSED_FILE, JSON.stringify(passed));
    printSlowest(modules);
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
