import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { newestConformance } from './testing/conformance.mjs';
import {
  EXCEPTIONS_2025,
  EXCEPTIONS_2026,
  EXCEPTIONS_TASKS,
  type Exception,
} from './testing/conformance-exceptions.ts';
import { NO_SURPRISES, runSuite, surprises, type Suite } from './testing/conformance-suite.ts';
import { startTasksWorld } from './testing/conformance-tasks-world.ts';
import { startConformanceWorld } from './testing/conformance-world.ts';

/** The one that runs on every Node. */
const OLD: Suite = {
  node: process.execPath,
  suite: path.join(
    path.dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
    'dist/index.js',
  ),
};
const newest = newestConformance();

interface Run {
  title: string;
  suite: Suite;
  selection: string[];
  exceptions: readonly Exception[];
  /** A check that is no longer made is noticed, too. */
  passed: number;
}

const RUNS: Run[] =
  newest === null
    ? [{ title: '0.1.13', suite: OLD, selection: ['--suite', 'all'], exceptions: EXCEPTIONS_2025, passed: 27 }]
    : [
        {
          title: '0.2, revision 2025-11-25',
          suite: newest,
          selection: ['--suite', 'all', '--spec-version', '2025-11-25'],
          exceptions: EXCEPTIONS_2025,
          passed: 61,
        },
        {
          title: '0.2, revision 2026-07-28',
          suite: newest,
          selection: ['--suite', 'all', '--spec-version', '2026-07-28'],
          exceptions: EXCEPTIONS_2026,
          passed: 117,
        },
      ];

/** Those of the tasks extension, which is not part of a revision, with how many of their checks pass. */
const TASK_SCENARIOS: readonly [name: string, passed: number][] = [
  ['tasks-lifecycle', 8],
  ['tasks-capability-negotiation', 5],
  ['tasks-wire-fields', 4],
  ['tasks-request-state-removal', 3],
  ['tasks-mrtr-input', 3],
  ['tasks-request-headers', 5],
  ['tasks-dispatch-and-envelope', 9],
  // Makes no checks yet.
  ['tasks-status-notifications', 0],
  ['tasks-required-task-error', 1],
  ['tasks-mrtr-composition', 1],
];

describe('the official conformance suite passes, with the exceptions that docs/mcp.md explains', () => {
  it.each(RUNS)('$title', async ({ suite, selection, exceptions, passed }) => {
    const verdict = await runSuite(suite, `${await startConformanceWorld()}/mcp`, selection);
    expect(surprises(verdict, exceptions), verdict.output.slice(-6000)).toEqual(NO_SURPRISES);
    expect(verdict.passed, verdict.output.slice(-6000)).toBe(passed);
    expect(verdict.output).toContain('✓ dns-rebinding-protection: 2 passed');
  });

  it.runIf(newest !== null)('C-123 0.2, the tasks extension', async () => {
    const url = `${await startTasksWorld()}/mcp`;
    const selection = ['--spec-version', '2026-07-28', '--force'];
    for (const [name, passed] of TASK_SCENARIOS) {
      const verdict = await runSuite(newest ?? OLD, url, ['--scenario', name, ...selection]);
      const exceptions = EXCEPTIONS_TASKS.filter(({ scenario }) => scenario === name);
      expect(surprises(verdict, exceptions), verdict.output.slice(-6000)).toEqual(NO_SURPRISES);
      expect([name, verdict.passed], verdict.output.slice(-6000)).toEqual([name, passed]);
    }
  });
});

it.each([
  ['Revision 2025-11-25', EXCEPTIONS_2025],
  ['Revision 2026-07-28', EXCEPTIONS_2026],
  ['The tasks extension', EXCEPTIONS_TASKS],
])('docs/mcp.md explains every exception, and no other: %s', (heading, exceptions) => {
  const document = readFileSync(path.join(import.meta.dirname, '../docs/mcp.md'), 'utf8');
  const [, section = ''] = document.split(`### ${heading}\n`);
  const [table = ''] = section.split(/^##/m);
  const explained = [...table.matchAll(/^\| `([a-z0-9-]+)` +\| (.+?) +\|$/gm)].map(([, name, reason]) => [
    name,
    reason,
  ]);
  expect(explained).toEqual(exceptions.map(({ scenario, reason }) => [scenario, reason]));
});
