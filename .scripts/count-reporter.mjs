// Closes a test run with one plain line, and keeps the titles of what passed for the list of requirements.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const PASSED_FILE = path.resolve(import.meta.dirname, '../node_modules/.cache/forge/passed-tests.json');

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
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
