import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Exception } from './conformance-exceptions.ts';
import { tempFolder } from './forge-process.ts';

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

export interface Verdict {
  passed: number;
  /** What failed or was warned about, as `<scenario>/<check>`, with what the suite says about it. */
  complaints: Map<string, string>;
  /** Everything that was printed, for whoever has to find out why. */
  output: string;
}

export interface Suite {
  node: string;
  suite: string;
}

const FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;
const COMPLAINTS: readonly Check['status'][] = ['FAILURE', 'WARNING'];

/** Runs the suite's scenarios for servers; what it found is read from its own files, one for each scenario. */
export async function runSuite({ node, suite }: Suite, url: string, selection: readonly string[]): Promise<Verdict> {
  const folder = path.join(tempFolder(), 'results');
  const args = [suite, 'server', '--url', url, ...selection, '-o', folder];
  const output = await new Promise<string>((resolve) => {
    // Its exit code says that something failed, which may be as it should.
    execFile(node, args, { maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  const checks = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
    const scenario = FOLDER.exec(name)?.[1] ?? name;
    const found = JSON.parse(readFileSync(path.join(folder, name, 'checks.json'), 'utf8')) as Check[];
    return found.map((check) => ({ ...check, key: `${scenario}/${check.id}` }));
  });
  const bad = checks.filter(({ status }) => COMPLAINTS.includes(status));
  return {
    passed: checks.filter(({ status }) => status === 'SUCCESS').length,
    complaints: new Map(bad.map(({ key, errorMessage }) => [key, errorMessage ?? ''])),
    output,
  };
}

/** What the suite complains about though nobody expects it, and what is expected to fail and does not. */
export function surprises({ complaints }: Verdict, exceptions: readonly Exception[]): object {
  const expected = new Set(exceptions.flatMap(({ scenario, checks }) => checks.map((check) => `${scenario}/${check}`)));
  return {
    failed: [...complaints].filter(([key]) => !expected.has(key)),
    passedThoughListed: [...expected].filter((key) => !complaints.has(key)),
  };
}

export const NO_SURPRISES = { failed: [], passedThoughListed: [] };
