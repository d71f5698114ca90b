/** The examples at the end of a command's --help: what to type, and what it is for where that is not plain. */
export function examples(...lines: readonly (string | readonly [command: string, purpose: string])[]): string {
  const pairs = lines.map((line) => (typeof line === 'string' ? ([line, ''] as const) : line));
  const width = Math.max(...pairs.map(([command]) => command.length));
  const shown = pairs.map(([command, purpose]) => `  $ ${command.padEnd(width)}  ${purpose}`.trimEnd());
  return ['', lines.length === 1 ? 'Example:' : 'Examples:', ...shown].join('\n');
}
