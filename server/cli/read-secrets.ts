import type { Io } from './io.ts';
import { askSecret } from './prompts.ts';
import { readStdin } from './read-stdin.ts';
import { UsageError } from './usage-error.ts';

/** One value for each name: asked for without echo on a terminal, else from standard input. Null when a question was left. */
export async function readSecrets(
  io: Io,
  names: readonly string[],
  labels: readonly string[],
): Promise<string[] | null> {
  const values =
    io.stdin.isTTY === true ? await askAll(io, labels) : split((await readStdin(io.stdin)).toString('utf8'), names);
  const empty = names.find((_name, index) => values?.[index] === '');
  if (empty === undefined) return values;
  throw new UsageError(`the value for ${empty} is empty`, `Use --unset ${empty} to remove a secret.`);
}

async function askAll(io: Io, labels: readonly string[]): Promise<string[] | null> {
  const values: string[] = [];
  for (const label of labels) {
    const value = await askSecret(io, label);
    if (value === null) return null;
    values.push(value);
  }
  return values;
}

/** One secret is the whole input, so that a key of several lines stays whole; several are one line each. */
function split(text: string, names: readonly string[]): string[] {
  const trimmed = text.replace(/\r?\n$/, '');
  if (names.length === 1) return [trimmed];
  const lines = trimmed.split(/\r?\n/);
  if (lines.length === names.length) return lines;
  throw new UsageError(
    `standard input has ${lines.length === 1 ? '1 line' : `${lines.length} lines`} for ${names.length} secrets`,
    `Give one line for each, in this order: ${names.join(', ')}.`,
  );
}
