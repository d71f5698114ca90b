import { constants, copyFileSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import { writeFileDurably } from '../../../store/durable-files.ts';
import type { ClientKind } from './client-files.ts';
import { readEntry, setEntry } from './edit-json.ts';
import { readTable, setTable } from './edit-toml.ts';
import { TextProblem } from './text-problem.ts';

/** A change to a client's file that has been worked out and not yet made. */
export interface PlannedEntry {
  file: string;
  before: string | null;
  after: string;
}

type Kind = Pick<ClientKind, 'title' | 'key' | 'format'>;

/** Works out the change. A file that cannot be read as what it should be, or whose entry is somebody else's, is refused as it is. */
export function planEntry(given: string, kind: Kind, name: string, entry: Record<string, unknown>): PlannedEntry {
  const file = targetOf(given);
  const before = readText(file);
  try {
    const { read, set } = editorOf(kind);
    const there = before === null || before.trim() === '' ? undefined : read(before, name);
    if (there !== undefined && !isOurs(there)) {
      throw new ForgeError('conflict', `${file} has a server called ${name} that is not this Forge`, {
        hint: 'Give this one another name: --name forge-local',
      });
    }
    return { file, before, after: set(before ?? '', name, entry) };
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    throw new ForgeError(
      'malformed_json',
      `${file} is not what ${kind.title} expects: line ${error.line}: ${error.message}`,
      {
        hint: 'Nothing was changed. Repair the file, or add the lines that --print shows by hand.',
        cause: error,
      },
    );
  }
}

/** Makes the change; what was there is kept beside it. Returns the copy's path, or null when there was nothing to keep. */
export function writeEntry({ file, before, after }: PlannedEntry, now: Date = new Date()): string | null {
  mkdirSync(path.dirname(file), { recursive: true });
  if (readText(file) !== before) {
    throw new ForgeError('conflict', `${file} was changed in this moment by another program`, { hint: 'Try again.' });
  }
  const backup = before === null ? null : keepCopy(file, now);
  // A file of settings may hold secrets of other servers, so its mode stays what it is.
  const mode = before === null ? 0o600 : statSync(file).mode & 0o777;
  writeFileDurably(file, Buffer.from(after), { mode });
  return backup;
}

/** How entries of a file are read and set. The entry of a TOML file is its text. */
function editorOf({ key, format }: Kind) {
  if (format === 'toml') {
    return {
      read: (text: string, name: string): unknown => readTable(text, key, name),
      set: (text: string, name: string, entry: Record<string, unknown>) => setTable(text, key, name, entry),
    };
  }
  const options = { hasComments: format === 'jsonc' };
  return {
    read: (text: string, name: string): unknown => readEntry(text, key, name, options),
    set: (text: string, name: string, entry: Record<string, unknown>) => setEntry(text, key, name, entry, options),
  };
}

/** An entry that `forge mcp install` has written, for this or an earlier place of Forge. */
function isOurs(entry: unknown): boolean {
  if (typeof entry === 'string') return /[\\/]launch[\\/]+forge\.mjs"/.test(entry) && entry.includes('"mcp"');
  if (!isRecord(entry)) return false;
  const { args: given = entry['command'] } = entry;
  if (!Array.isArray(given)) return false;
  const args = given.map(String);
  return args.some((arg) => /[\\/]launch[\\/]forge\.mjs$/.test(arg)) && args.includes('mcp');
}

/** Settings are often links into a folder that is kept elsewhere; the link stays one. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return path.resolve(file);
    throw error;
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function keepCopy(file: string, now: Date): string {
  const stamp = now.toISOString().replaceAll(/[-:]/g, '').slice(0, 15);
  for (let number = 1; ; number += 1) {
    const backup = `${file}.before-forge-${stamp}${number === 1 ? '' : `-${number}`}`;
    try {
      copyFileSync(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}
