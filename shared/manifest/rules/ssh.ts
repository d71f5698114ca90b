import { templateSettings } from '../connector.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, warning, type Rule, type ToolView } from '../rule.ts';
import type { SshToolSpec } from '../schema/tool.ts';
import { isWholeArgument } from '../ssh-command.ts';
import { hasGroup, patternProblem } from '../ssh-pattern.ts';

type SshBlock = NonNullable<SshToolSpec['ssh']>;

const CREDENTIALS = ['password', 'private_key', 'passphrase'];
/** Programs that read an argument of theirs as a script. */
const READS_SCRIPTS = /(?:^|[\s;|&(/])(?:eval|(?:ba|da|k|z)?sh\s+-\w*c|python[\d.]*\s+-c|perl\s+-e|node\s+-e)\s/;

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
      yield* checkCommand(command, [...path, 'commands', String(index)], view.tool.destructive === true);
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

function* checkCommand(command: string, path: readonly string[], isDestructive: boolean): Iterable<Finding> {
  if (/[\r\n]/.test(command.trim())) {
    yield failure('ssh', path, 'a command is one line', { hint: 'Make it several commands.' });
  }
  if (isWholeArgument(command)) {
    if (!isDestructive) {
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
  if (READS_SCRIPTS.test(command)) {
    yield failure('ssh', path, 'an argument may not stand in a script that the host reads once more', {
      hint: 'Run the program itself, without sh -c or eval.',
    });
  }
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
