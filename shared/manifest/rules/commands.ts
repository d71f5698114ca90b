import { inspectShellTool } from '../commands/inspect-shell-tool.ts';
import { secretsBesideArguments } from '../commands/secret-beside-argument.ts';
import { templateSettings } from '../connector.ts';
import { failure, warning, type Rule } from '../rule.ts';

/** No argument stands inside code that a program reads, or decides which code that is. */
export const commands: Rule = function* ({ manifest, tools }) {
  const declared = templateSettings(manifest.settings ?? {});
  const settings = new Set(Object.keys(declared));
  for (const { tool, path } of tools) {
    const beside = secretsBesideArguments(tool, declared);
    if (beside !== null)
      yield warning(
        'secret-and-argument',
        [...path, tool.protocol === 'shell' ? 'command' : 'ssh'],
        `an argument and the secret ${quoted(beside.secrets)} go into one command, so a person approves each call`,
        {
          hint: 'The argument may decide where the secret goes. Take it from a select or a number, or run the command without the secret.',
        },
      );
    // A program that an argument chooses is a finding of its own.
    if (tool.protocol !== 'shell' || String(tool.command[0]).includes('{args.')) continue;
    const { problems, wholeCode, doubts } = inspectShellTool(tool, settings);
    for (const problem of problems)
      yield failure('argument-in-code', [...path, ...problem.path], problem.message, { hint: problem.hint });
    const [doubt] = problems.length === 0 ? doubts : [];
    if (doubt !== undefined && tool.destructive !== true)
      yield warning(
        'argument-in-code',
        [...path, 'command'],
        `Forge cannot tell whether an argument stays data, so a person approves each call: ${doubt}`,
        { hint: 'Use "$1" as the operand of a plain command, or say so with destructive: true.' },
      );
    const [code] = wholeCode;
    if (code !== undefined && tool.destructive !== true)
      yield warning(
        'argument-in-code',
        [...path, 'command'],
        `the argument "${code}" is the whole code, so a person approves each call`,
        { hint: 'Say so with destructive: true, or write the code down and take only its operands from arguments.' },
      );
  }
};

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
