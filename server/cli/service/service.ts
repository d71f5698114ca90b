import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../../shared/errors.ts';

/** What is started at login. */
export interface ServiceJob {
  /** The program and its arguments. */
  argv: readonly string[];
  environment: Readonly<Record<string, string>>;
}

export interface Ran {
  code: number;
  output: string;
}

/** What a service manager needs of the computer. */
export interface ServiceWorld {
  home: string;
  /** The person's number, which launchd names its sessions by. */
  uid: number;
  run: (command: string, args: readonly string[]) => Promise<Ran>;
}

/** One way to start a program at login. */
export interface ServiceManager {
  /** Where the job is written down, for people. */
  place: (world: ServiceWorld) => string;
  install: (world: ServiceWorld, job: ServiceJob) => Promise<void>;
  remove: (world: ServiceWorld) => Promise<void>;
  /** A word or two on whether it is installed and runs. */
  status: (world: ServiceWorld) => Promise<string>;
}

/** Runs a command that has to succeed; `hint` says what to do where it does not. */
export async function mustRun(
  { run }: ServiceWorld,
  command: string,
  args: readonly string[],
  hint = `Run it yourself to see more: ${[command, ...args].join(' ')}`,
): Promise<void> {
  const { code, output } = await run(command, args);
  if (code === 0) return;
  const said = output.trim().split('\n').at(-1) ?? '';
  throw new ForgeError('not_supported', `${command} ${args[0] ?? ''} failed: ${said}`, { hint });
}

export function writeJob(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

export function removeJob(file: string): void {
  rmSync(file, { force: true });
}

/** A line break would begin an instruction of its own in every format. */
export function oneLine(text: string): string {
  if (!/[\r\n\0]/.test(text)) return text;
  throw new ForgeError('invalid_config', `${JSON.stringify(text.slice(0, 60))} cannot be part of a service`, {
    hint: 'Set the variable to a value without line breaks and try again.',
  });
}
