import { statSync } from 'node:fs';
import path from 'node:path';
import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import { NO_SECRETS, type Command, type OutputMasker, type RunContext, type Runner } from '../job.ts';
import type { ShellResponse } from '../response.ts';
import { invocationOf } from './batch-file.ts';
import { scrubEnvironment, withVariables, type Environment } from './environment.ts';
import { findProgram } from './find-program.ts';
import {
  codeOf,
  realAfter,
  type After,
  type Ended,
  type StartLimits,
  type StartProgram,
  type StopReason,
} from './run-process.ts';

/** What the shell runner is told about the computer it runs on. */
export interface ShellRunnerOptions {
  /** The environment Forge was started in; programs see only the harmless part of it. */
  baseEnv: Environment;
  /** Where programs start whose tool names no folder: the person's home. */
  defaultCwd: string;
  platform?: NodeJS.Platform;
  /** Between asking a program to end and ending it. */
  killGraceMs?: number;
  /** How long output is waited for after a program has ended. */
  drainMs?: number;
  maxStreamBytes?: number;
  maxTotalBytes?: number;
  after?: After;
  start: StartProgram;
}

const MIB = 1024 * 1024;
const LAST_OUTPUT_CHARS = 500;

const REASONS: Readonly<Record<string, string>> = {
  E2BIG: 'its arguments are longer than the system allows',
  EACCES: 'permission denied',
  EAGAIN: 'there are too many processes',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOENT: 'the program named in its first line is not there',
  ENOMEM: 'there is not enough memory',
  ENOEXEC: 'it is not a program for this computer',
};

/** Runs local programs, each with its own arguments and a scrubbed environment; no shell reads them. */
export function createShellRunner(options: ShellRunnerOptions): Runner<Command> {
  const { platform = process.platform, defaultCwd, start } = options;
  const scrubbed = scrubEnvironment(options.baseEnv, platform);
  const limits = limitsOf(options);
  return {
    async run(job: Command, context: RunContext): Promise<ShellResponse> {
      const [program = '', ...args] = job.argv;
      if (context.signal.aborted) throw abortError(program, context.signal.reason);
      const env = withVariables(scrubbed, job.env, platform);
      refuseNul(job.argv, job.env);
      const invocation = invocationOf(findProgram(program, { env, platform }), args, { env, platform });
      const cwd = folderOf(job.cwd, defaultCwd);
      const spec = { ...invocation, argv0: invocation.isVerbatim ? invocation.file : program, env, cwd };
      let ended: Ended;
      try {
        ended = await start({ ...spec, timeoutMs: job.timeoutMs }, limits, context);
      } catch (error) {
        throw startFailure(program, error);
      }
      const { masker = NO_SECRETS } = context;
      if (ended.droppedBytes > 0) ended = withoutHalves(ended, masker);
      if (ended.stopped !== null) {
        throw stopError(program, job.timeoutMs, limits, lastOutput(ended, masker), ended.stopped);
      }
      const { exitCode, signal, stdout, stderr, droppedBytes } = ended;
      return { kind: 'shell', exitCode, signal, stdout, stderr, droppedBytes };
    },
  };
}

function limitsOf(options: ShellRunnerOptions): StartLimits {
  return {
    killGraceMs: options.killGraceMs ?? 2000,
    drainMs: options.drainMs ?? 250,
    maxStreamBytes: options.maxStreamBytes ?? MIB,
    maxTotalBytes: options.maxTotalBytes ?? 64 * MIB,
    after: options.after ?? realAfter,
  };
}

/** The operating system would end an argument at its first zero byte, and run something other than what was approved. */
function refuseNul(argv: readonly string[], env: Readonly<Record<string, string>>): void {
  const index = argv.findIndex((argument) => argument.includes('\0'));
  if (index !== -1) throw new ForgeError('unsafe_value', `argument ${index} of the command contains a zero byte`);
  for (const [name, value] of Object.entries(env)) {
    if (!value.includes('\0')) continue;
    throw new ForgeError('unsafe_value', `the variable ${name} of the command contains a zero byte`);
  }
}

function folderOf(wanted: string | null, home: string): string {
  const isInHome = wanted === '~' || wanted?.startsWith('~/') === true;
  const folder = path.resolve(home, isInHome ? `.${wanted.slice(1)}` : (wanted ?? '.'));
  if (isFolder(folder)) return folder;
  throw new ForgeError('command_failed', `the command cannot start in ${folder}: there is no such folder`, {
    hint: 'Correct the folder the command is to start in.',
  });
}

function isFolder(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // A place that may not even be looked at is none to start in.
    return false;
  }
}

function startFailure(program: string, error: unknown): ForgeError {
  if (isForgeError(error)) return error;
  const code = codeOf(error);
  const known = Object.hasOwn(REASONS, code) ? `${REASONS[code] ?? ''} (${code})` : null;
  const reason = known ?? (error instanceof Error ? error.message : String(error));
  return new ForgeError('command_failed', `${program} could not be started: ${reason}`, { cause: error });
}

function stopError(
  program: string,
  timeoutMs: number,
  limits: StartLimits,
  last: string,
  stopped: StopReason,
): ForgeError {
  switch (stopped.kind) {
    case 'timeout':
      return new ForgeError('command_timeout', `${program} did not end within ${duration(timeoutMs)}${last}`);
    case 'aborted':
      return abortError(program, stopped.reason);
    case 'flood':
      return new ForgeError(
        'command_failed',
        `${program} was stopped because it printed more than ${amount(limits.maxTotalBytes)}${last}`,
        { hint: 'Ask for less, so that the program prints less.' },
      );
    case 'lost':
      return new ForgeError('program_lost', `${program} was ended, because the process that had started it is gone`);
    case 'failed':
      return new ForgeError('command_failed', `${program} was stopped because its output could not be passed on`, {
        cause: stopped.error,
      });
  }
}

/** The caller went away, unless whoever aborted says that it was something else, such as a deadline. */
function abortError(program: string, reason: unknown): ForgeError {
  if (isForgeError(reason)) return reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new ForgeError('command_timeout', `${program} did not end in time`, { cause: reason });
  }
  return new ForgeError('cancelled', `${program} was cancelled`, { cause: reason });
}

/** Of a secret that begins in what was dropped the rest would not be recognised later on. */
function withoutHalves(ended: Ended, masker: OutputMasker): Ended {
  const { before, stdout, stderr } = ended;
  return {
    ...ended,
    stdout: masker.redactAfter(before.stdout, stdout),
    stderr: masker.redactAfter(before.stderr, stderr),
  };
}

/** A program that hangs has often said why: a question, a lock, a server that does not answer. */
function lastOutput({ stdout, stderr }: Ended, masker: OutputMasker): string {
  const text = masker
    .redact(stderr.trim() || stdout.trim())
    .slice(-LAST_OUTPUT_CHARS)
    .toWellFormed()
    .trim();
  return text === '' ? ' and printed nothing' : `. The last it printed: ${text}`;
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

function amount(bytes: number): string {
  return bytes < MIB ? `${bytes} bytes` : `${Math.round(bytes / MIB)} MiB`;
}
