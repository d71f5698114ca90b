import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { createRedactor } from '../../../secrets/redact.ts';
import type { Command } from '../../job.ts';
import type { ShellResponse } from '../../response.ts';
import { createShellRunner, type ShellRunnerOptions } from '../shell-runner.ts';
import { processesWith } from './processes.ts';

interface Run {
  argv: string[];
  job?: Partial<Command>;
  options?: Partial<ShellRunnerOptions>;
  signal?: AbortSignal;
  onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** Far longer than any program of the tests runs; those that wait for it use a clock of their own. */
export const TIMEOUT_MS = 30_000;
export const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Runs one real program through the runner. */
export async function run({ argv, job, options, signal, onOutput }: Run): Promise<ShellResponse> {
  const runner = createShellRunner({ baseEnv: { PATH }, defaultCwd: '/', redactor: createRedactor(), ...options });
  const command: Command = { protocol: 'shell', argv, env: {}, cwd: null, timeoutMs: TIMEOUT_MS, ...job };
  const context = { signal: signal ?? new AbortController().signal, ...(onOutput === undefined ? {} : { onOutput }) };
  const response = await runner.run(command, context);
  if (response.kind !== 'shell') throw new Error('a shell runner answers with a shell response');
  return response;
}

export const sh = (script: string): string[] => ['sh', '-c', script];
export const js = (script: string): string[] => [process.execPath, '-e', script];

/** A variable that every process of one command inherits, and by which the ones left behind are found. */
export const marker = (): { MARKER: string } => ({ MARKER: randomBytes(12).toString('hex') });

export const nothingLeft = (env: { MARKER: string }): Promise<void> =>
  expect.poll(() => processesWith(env.MARKER), { timeout: 10_000 }).toEqual([]);
