/** True for a command that is one argument and nothing else: the caller writes the whole line. */
export function isWholeArgument(command: string): boolean {
  return /^\s*\{args\.[^{}]+\}\s*$/.test(command);
}
