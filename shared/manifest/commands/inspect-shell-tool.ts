import type { ShellToolSpec } from '../schema/tool.ts';
import { variableProblem } from './environment-names.ts';
import { inspectCommand, VARIABLE_HINT } from './inspect-command.ts';
import { wordOfTemplate, type Parameters, type Word } from './word.ts';

/** What a shell tool starts, as far as it is known who wrote each part. */
export interface ShellWords {
  command: readonly Word[];
  env: readonly (readonly [name: string, word: Word])[];
  cwd: Word | null;
}

interface ShellProblem {
  /** Where it is, from the tool on. */
  path: readonly string[];
  message: string;
  hint: string;
}

export interface ShellInspection {
  problems: ShellProblem[];
  /** Arguments that are a whole program text. */
  wholeCode: string[];
  /** Why Forge cannot tell whether an argument stays data. */
  doubts: string[];
}

/** No folder at all, the root of everything, and those that everybody may write to. */
const OPEN_FOLDER = /^(?:(?:[A-Za-z]:)?[\\/]*|\/(?:tmp|var\/tmp|dev\/shm)\/*)$/;

/** The rule for arguments of shell tools: none stands inside code, or decides which code runs. */
export function inspectShell({ command, env, cwd }: ShellWords): ShellInspection {
  const filled = env.filter(([, word]) => word.freedom === 'free');
  const { problems, wholeCode, doubts, readsFolder } = inspectCommand(command, { hasVariables: filled.length > 0 });
  const found: ShellProblem[] = problems.map(({ index, message, hint }) => ({
    path: ['command', String(index)],
    message,
    hint,
  }));
  for (const [name, word] of filled) {
    const problem = variableProblem(name);
    if (problem === null) continue;
    const message = `the argument "${word.argument}" may not stand here: ${problem}`;
    found.push({ path: ['env', name], message, hint: VARIABLE_HINT });
  }
  // Below a folder that the manifest or a person has fixed, an argument may choose (expand-shell.ts keeps it there).
  if (cwd?.freedom === 'free' && OPEN_FOLDER.test(cwd.head) && readsFolder !== null) {
    found.push({
      path: ['cwd'],
      message: `the argument "${cwd.argument}" decides what ${readsFolder} runs: it reads programs from the folder it starts in`,
      hint: 'Start it in a fixed folder and pass the other one as an element of the command.',
    });
  }
  return { problems: found, wholeCode, doubts };
}

/** The same before anything is filled in, for a manifest. */
export function inspectShellTool(
  { command, env = {}, cwd, parameters = {} }: Pick<ShellToolSpec, 'command' | 'env' | 'cwd' | 'parameters'>,
  settings: ReadonlySet<string>,
): ShellInspection {
  const word = (text: string | number | boolean, index: number): Word =>
    wordOfTemplate(String(text), index, settings, parameters satisfies Parameters);
  return inspectShell({
    command: command.map(word),
    env: Object.entries(env).map(([name, value]) => [name, word(value, 0)] as const),
    cwd: cwd === undefined ? null : word(cwd, 0),
  });
}
