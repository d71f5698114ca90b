/** A command as a person would type it, each argument quoted where it has to be. */
export function commandLine(command: readonly (string | number | boolean | null)[]): string {
  return command.map((part) => quoted(String(part))).join(' ');
}

export function quoted(part: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`;
}
