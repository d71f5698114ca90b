import { FORGE } from '../../shared/forge-command.ts';

/** `forge` where it is a command: at the beginning, or behind a pipe. */
const COMMAND = /(?<=^|\| )forge(?= )/;

/** The examples at the end of a command's --help: what to type, and what it is for where that is not plain. */
export function examples(...lines: readonly (string | readonly [command: string, purpose: string])[]): string {
  const pairs = lines
    .map((line) => (typeof line === 'string' ? ([line, ''] as const) : line))
    .map(([command, purpose]) => [command.replace(COMMAND, FORGE), purpose] as const);
  const width = Math.max(...pairs.map(([command]) => command.length));
  const shown = pairs.map(([command, purpose]) => `  $ ${command.padEnd(width)}  ${purpose}`.trimEnd());
  return ['', lines.length === 1 ? 'Example:' : 'Examples:', ...shown].join('\n');
}
