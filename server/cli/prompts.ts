import type { Io } from './io.ts';
import { safeLine } from './terminal.ts';

/** Asks for a yes; leaving the question counts as a no, and so does its being taken back by the signal. */
export async function confirm(io: Io, message: string, signal?: AbortSignal): Promise<boolean> {
  const prompts = await import('@clack/prompts');
  const options = { message: safeLine(message), initialValue: false, ...streams(io), ...(signal ? { signal } : {}) };
  return (await prompts.confirm(options)) === true;
}

/** Asks for a value that is not shown; null when the question was left. */
export async function askSecret(io: Io, message: string): Promise<string | null> {
  const prompts = await import('@clack/prompts');
  const answer = await prompts.password({ message: safeLine(message), ...streams(io) });
  return prompts.isCancel(answer) ? null : answer;
}

/** Asks for one of several; null when the question was left. */
export async function choose<const V extends string>(
  io: Io,
  message: string,
  options: Record<V, string>,
): Promise<V | null> {
  const prompts = await import('@clack/prompts');
  const list = Object.entries<string>(options).map(([value, label]) => ({ value, label }));
  const answer = await prompts.select({ message: safeLine(message), options: list, ...streams(io) });
  // The values of the list are the keys of `options`.
  return prompts.isCancel(answer) ? null : (answer as V);
}

/** Where standard output is not a terminal, the question must not end up in the output. */
function streams({ stdin, stdout, stderr }: Io) {
  return { input: stdin, output: stdout.isTTY === true ? stdout : stderr };
}
