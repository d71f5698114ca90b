import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Command, RunContext } from '../../job.ts';
import type { ShellResponse } from '../../response.ts';
import { runMarked, StartedPrograms } from '../run-marked.ts';
import type { StartProgram } from '../run-process.ts';
import { createShellRunner, type ShellRunnerOptions } from '../shell-runner.ts';
import { processesWith } from './processes.ts';

interface Run {
  argv: string[];
  job?: Partial<Command>;
  options?: Partial<ShellRunnerOptions>;
  signal?: AbortSignal;
  masker?: RunContext['masker'];
  onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** Far longer than any program of the tests runs; those that wait for it use a clock of their own. */
export const TIMEOUT_MS = 30_000;
export const PATH = '/usr/local/bin:/usr/bin:/bin';

const started = new StartedPrograms();

/** Runs a program in this process, the way the process does it that starts programs. */
const startHere: StartProgram = (...program) =>
  runMarked({ mark: `${randomBytes(12).toString('hex')}.`, systemRoot: '', started }, ...program);

/** Runs one real program through the runner. */
export async function run({ argv, job, options, signal, masker, onOutput }: Run): Promise<ShellResponse> {
  const runner = createShellRunner({ baseEnv: { PATH }, defaultCwd: '/', start: startHere, ...options });
  const command: Command = { protocol: 'shell', argv, env: {}, cwd: null, timeoutMs: TIMEOUT_MS, ...job };
  const context = { signal: signal ?? new AbortController().signal, masker, onOutput };
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
