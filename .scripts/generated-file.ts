import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The text of a file, or null when it is not there yet. */
export function readIfThere(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Writes a file that a script makes or, with `--check`, tells whether it is current. Answers the exit code. */
export function writeOrCheck(file: string, text: string, args: readonly string[], command: string): number {
  const name = path.relative(process.cwd(), file);
  if (readIfThere(file) === text) {
    console.log(`${name} is current`);
    return 0;
  }
  if (args.includes('--check')) {
    console.error(`${name} is not current: run \`${command}\` and commit the outcome`);
    return 1;
  }
  writeFileSync(file, text);
  console.log(`wrote ${name}`);
  return 0;
}
