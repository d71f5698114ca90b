import { readFile } from 'node:fs/promises';
import { isRecord } from '../../../shared/json.ts';
import { splitPair } from '../collect-values.ts';
import type { Io } from '../io.ts';
import { readStdin } from '../read-stdin.ts';
import { UsageError } from '../usage-error.ts';
import { argumentSchema, typedValue } from './typed-value.ts';

export interface ArgumentFlags {
  /** JSON, `@file` or `-` for standard input. */
  args?: string;
  /** `name=value`, each on top of `args`. */
  set?: string[];
}

/** The arguments of a call as the command line gives them; `inputSchema` is null for a tool nobody knows. */
export async function readCallArguments(
  { stdin }: Pick<Io, 'stdin'>,
  { args, set = [] }: ArgumentFlags,
  inputSchema: unknown,
): Promise<Record<string, unknown>> {
  const pairs = set.map((text) => splitPair(text, '--set'));
  const twice = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) !== index);
  if (twice !== undefined)
    throw new UsageError(`--set ${twice[0]} stands there twice`, `Give a list as JSON: --set '${twice[0]}=["a", "b"]'`);
  const given = args === undefined ? {} : parseArguments(await readText(stdin, args));
  const typed = pairs.map(([name, text]) => [name, typedValue(text, argumentSchema(inputSchema, name))] as const);
  return { ...given, ...Object.fromEntries(typed) };
}

async function readText(stdin: Io['stdin'], args: string): Promise<string> {
  if (args === '-') return (await readStdin(stdin)).toString('utf8');
  if (!args.startsWith('@')) return args;
  const file = args.slice(1);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the arguments cannot be read: ${reason}`, 'Write --args @file with a file that exists.');
  }
}

function parseArguments(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--args is not JSON: ${reason}`, ARGS_HINT);
  }
  if (!isRecord(value)) throw new UsageError('--args is not a JSON object', ARGS_HINT);
  return value;
}

const ARGS_HINT = `Write it like --args '{"name": "value"}', or use --set name=value.`;
