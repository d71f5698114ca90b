import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../../shared/errors.ts';
import { readVariable } from './environment.ts';

/** What a file of a program's name turned out to be. */
type Found = 'program' | 'not executable' | 'nothing';

/** Where a program is looked for. */
export interface SearchPlace {
  env: Readonly<Record<string, string>>;
  platform: NodeJS.Platform;
  inspect?: (file: string) => Found;
}

/** The kinds of file Windows can start; anything else in PATHEXT needs a program of its own. */
const WINDOWS_KINDS: ReadonlySet<string> = new Set(['.COM', '.EXE', '.BAT', '.CMD']);

/** Finds the file a command starts, on the PATH the program itself will see, so that both agree on what runs. */
export function findProgram(name: string, place: SearchPlace): string {
  const { env, platform, inspect = platform === 'win32' ? inspectAnyFile : inspectFile } = place;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  if (name === '') throw new ForgeError('command_not_found', 'the command names no program');
  if (paths.isAbsolute(name)) return findAbsolute(name, spellings(name, place), inspect);
  if (name.includes('/') || (platform === 'win32' && /[\\:]/.test(name))) {
    throw new ForgeError('command_not_found', `${name} is a path relative to some folder, and those are not started`, {
      hint: 'Use the name of a program on the PATH, or its full path.',
    });
  }
  // Empty and relative entries mean "the current folder", where anybody may have put a file of that name.
  const folders = searchFolders(env, platform);
  let blocked: string | null = null;
  for (const folder of folders) {
    for (const spelling of spellings(name, place)) {
      const file = paths.join(folder, spelling);
      const found = inspect(file);
      if (found === 'program') return file;
      if (found === 'not executable') blocked ??= file;
    }
  }
  if (blocked !== null) throw notExecutable(blocked);
  throw notFound(name, folders);
}

function findAbsolute(name: string, files: readonly string[], inspect: (file: string) => Found): string {
  let isBlocked = false;
  for (const file of files) {
    const found = inspect(file);
    if (found === 'program') return file;
    isBlocked ||= found === 'not executable';
  }
  if (isBlocked) throw notExecutable(name);
  throw new ForgeError('command_not_found', `there is no program ${name}`);
}

function searchFolders(env: Readonly<Record<string, string>>, platform: NodeJS.Platform): string[] {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const entries = readVariable(env, 'PATH', platform).split(paths.delimiter);
  const folders = platform === 'win32' ? entries.map((entry) => entry.replaceAll('"', '')) : entries;
  return [...new Set(folders.filter((folder) => paths.isAbsolute(folder)))];
}

/** The file names a program may have: on Windows `git` is `git.exe`. */
function spellings(name: string, { env, platform }: SearchPlace): string[] {
  if (platform !== 'win32') return [name];
  if (WINDOWS_KINDS.has(path.win32.extname(name).toUpperCase())) return [name];
  const kinds = (readVariable(env, 'PATHEXT', platform) || '.COM;.EXE;.BAT;.CMD').split(';');
  return kinds.filter((kind) => WINDOWS_KINDS.has(kind.toUpperCase())).map((kind) => name + kind.toLowerCase());
}

function inspectFile(file: string): Found {
  if (inspectAnyFile(file) === 'nothing') return 'nothing';
  try {
    accessSync(file, constants.X_OK);
    return 'program';
  } catch {
    // The file is there, so the only thing missing is the permission.
    return 'not executable';
  }
}

function inspectAnyFile(file: string): Found {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? 'program' : 'nothing';
  } catch {
    // A folder of the PATH that may not be read holds nothing Forge could start.
    return 'nothing';
  }
}

function notExecutable(file: string): ForgeError {
  return new ForgeError('command_not_found', `${file} is there, but it may not be executed`, {
    hint: 'Make it executable (chmod +x), or install the program properly.',
  });
}

function notFound(name: string, folders: readonly string[]): ForgeError {
  const where = folders.length === 0 ? 'the PATH names no folder' : `looked in ${folders.join(', ')}`;
  return new ForgeError('command_not_found', `${name} was not found: ${where}`, {
    details: { program: name, folders },
  });
}
