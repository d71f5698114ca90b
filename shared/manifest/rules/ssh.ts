import { inspectLine } from '../commands/inspect-command.ts';
import { partsOfTemplate, type Parameters } from '../commands/word.ts';
import { templateSettings } from '../connector.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, warning, type Rule, type ToolView } from '../rule.ts';
import type { SshToolSpec } from '../schema/tool.ts';
import { isWholeArgument } from '../ssh-command.ts';
import { hasGroup, patternProblem } from '../ssh-pattern.ts';
import { parseTemplate } from '../../template/parse.ts';

type SshBlock = NonNullable<SshToolSpec['ssh']>;

const CREDENTIALS = ['password', 'private_key', 'passphrase'];
/** Commands that stay one line each, whatever an argument says, and patterns that can be read. */
export const ssh: Rule = function* ({ manifest, tools }) {
  const settings = Object.keys(templateSettings(manifest.settings ?? {}));
  for (const view of tools) {
    if (view.tool.protocol !== 'ssh') continue;
    yield* checkConnection(view, settings);
    const block = view.tool.ssh ?? {};
    const path = [...view.path, 'ssh'];
    if ((block.commands ?? []).length === 0) {
      yield warning(
        'ssh',
        view.tool.ssh === undefined ? view.path : path,
        'logs in and out again: it has no commands',
        {
          hint: 'Add ssh: { commands: [...] }.',
        },
      );
    }
    for (const [index, command] of (block.commands ?? []).entries())
      yield* checkCommand(command, [...path, 'commands', String(index)], view.tool, new Set(settings));
    yield* checkPatterns(block, path);
  }
};

function* checkConnection({ name, tool, path }: ToolView, settings: readonly string[]): Iterable<Finding> {
  const parameters = Object.keys(tool.parameters ?? {});
  for (const key of ['host', 'username']) {
    if (parameters.includes(key) || settings.includes(key) || settings.includes(`default_${key}`)) continue;
    yield warning('ssh', path, `\`${name}\` has no ${key}: neither a parameter nor a setting is called \`${key}\``, {
      at: 'key',
      hint: `Declare a setting called ${key}.`,
    });
  }
  for (const key of CREDENTIALS) {
    if (!parameters.includes(key)) continue;
    yield warning('ssh', [...path, 'parameters', key], `a model would have to know the ${key} to pass it`, {
      at: 'key',
      hint: `Declare ${key} as a setting of type secret and remove the parameter.`,
    });
  }
}

function* checkCommand(
  command: string,
  path: readonly string[],
  { destructive = false, parameters = {} }: Pick<SshToolSpec, 'destructive' | 'parameters'>,
  settings: ReadonlySet<string>,
): Iterable<Finding> {
  if (/[\r\n]/.test(command.trim())) {
    yield failure('ssh', path, 'a command is one line', { hint: 'Make it several commands.' });
  }
  if (isWholeArgument(command)) {
    if (!destructive) {
      yield warning('ssh', path, 'the whole command comes from an argument, so a person approves each call', {
        hint: 'Say so with destructive: true, or write the command down and take only its operands from arguments.',
      });
    }
    return;
  }
  if (!command.includes('{args.')) return;
  if (/^\s*\S*\{args\./.test(command)) {
    yield failure('ssh', path, 'the command to run cannot come from an argument', {
      hint: 'Write the first word down.',
    });
  }
  const parts = partsOfTemplate(parseTemplate(command, settings), parameters satisfies Parameters);
  const { problems, doubts } = inspectLine(parts);
  for (const { message, hint } of problems) yield failure('ssh', path, message, { hint });
  const [doubt] = problems.length === 0 ? doubts : [];
  if (doubt !== undefined)
    yield warning(
      'ssh',
      path,
      `Forge cannot tell whether an argument stays data, so a person approves each call: ${doubt}`,
      {
        hint: 'Use the argument as the operand of a plain command.',
      },
    );
}

function* checkPatterns(block: SshBlock, path: readonly string[]): Iterable<Finding> {
  const places: [string[], string | undefined][] = [
    [['prompt_regex'], block.prompt_regex],
    [['done_when'], block.done_when],
    [['fail_when'], block.fail_when],
    ...(block.auto_answer ?? []).map(({ match }, index): [string[], string] => [
      ['auto_answer', String(index), 'match'],
      match,
    ]),
    ...Object.entries(block.capture ?? {}).map(([name, text]): [string[], string] => [['capture', name], text]),
  ];
  for (const [keys, text] of places) {
    if (text === undefined) continue;
    const problem = patternProblem(text);
    if (problem !== null) yield failure('ssh', [...path, ...keys], `this pattern cannot be used: ${problem}`);
    else if (keys[0] === 'capture' && !hasGroup(text)) {
      yield warning('ssh', [...path, ...keys], 'a capture without a group takes the whole match');
    }
  }
}
