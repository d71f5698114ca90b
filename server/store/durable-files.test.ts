import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isForgeError } from '../../shared/errors.ts';
import { moveDurably, removeFolder, removeLeftovers, writeFileDurably, writeFolderDurably } from './durable-files.ts';
import { nodeFileOps, type FileOps } from './file-ops.ts';
import { failingFileOps } from './testing/failing-file-ops.ts';
import { tempDir } from './testing/temp-dir.ts';

const OLD = Buffer.from('the old content');
const NEW = Buffer.from('the new content, which is longer');

/** Runs `act` with the nth operation failing, for every n there is, and hands each outcome to `verify`. */
function failEach(
  code: string,
  duration: 'once' | 'onwards',
  act: (folder: string, ops: FileOps) => void,
  verify: (folder: string, error: unknown, n: number) => void,
): number {
  for (let n = 1; ; n += 1) {
    const folder = tempDir();
    const failing = failingFileOps(n, code, duration);
    let error: unknown;
    try {
      act(folder, failing.ops);
    } catch (caught) {
      error = caught;
    }
    if (failing.count() < n) return n - 1;
    verify(folder, error, n);
  }
}

function asForgeError(error: unknown) {
  if (!isForgeError(error)) throw new Error(`not a Forge error: ${String(error)}`);
  return error;
}

describe('writeFileDurably', () => {
  it('writes a new file that only its owner can read', () => {
    const file = path.join(tempDir(), 'key');
    writeFileDurably(file, NEW);
    expect(readFileSync(file)).toEqual(NEW);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.dirname(file))).toEqual(['key']);
  });

  it('takes the mode it is given', () => {
    const file = path.join(tempDir(), 'script');
    writeFileDurably(file, NEW, { mode: 0o700 });
    expect(statSync(file).mode & 0o777).toBe(0o700);
  });

  it('writes all of it when the system takes three bytes at a time', () => {
    const file = path.join(tempDir(), 'key');
    const slow: FileOps = {
      ...nodeFileOps,
      writeSync: (fd, bytes, offset, length) => nodeFileOps.writeSync(fd, bytes, offset, Math.min(3, length)),
    };
    writeFileDurably(file, NEW, { ops: slow });
    expect(readFileSync(file)).toEqual(NEW);
  });

  it('syncs the file before the rename and the folder after it', () => {
    const steps: string[] = [];
    const folder = tempDir();
    const names = new Map<number, string>();
    const recording: FileOps = {
      ...nodeFileOps,
      openSync: (name, flags, mode) => {
        const fd = nodeFileOps.openSync(name, flags, mode);
        names.set(fd, name === folder ? 'folder' : 'temp file');
        return fd;
      },
      fsyncSync: (fd) => {
        steps.push(`sync ${names.get(fd) ?? '?'}`);
        nodeFileOps.fsyncSync(fd);
      },
      renameSync: (from, to) => {
        steps.push('rename');
        nodeFileOps.renameSync(from, to);
      },
    };
    writeFileDurably(path.join(folder, 'key'), NEW, { ops: recording });
    expect(steps).toEqual(['sync temp file', 'rename', 'sync folder']);
  });

  it.each(['ENOSPC', 'EIO'])('keeps the old content or the new one when operation n fails once with %s', (code) => {
    const operations = failEach(
      code,
      'once',
      (folder, ops) => {
        writeFileSync(path.join(folder, 'key'), OLD);
        writeFileDurably(path.join(folder, 'key'), NEW, { ops });
      },
      (folder, error, n) => {
        const content = readFileSync(path.join(folder, 'key'));
        expect([OLD, NEW], `operation ${n}`).toContainEqual(content);
        expect(readdirSync(folder), `operation ${n} leaves no temp file`).toEqual(['key']);
        if (error === undefined) expect(content, `operation ${n} was harmless`).toEqual(NEW);
        else {
          expect(asForgeError(error).code).toBe('disk_write_failed');
          expect(asForgeError(error).message).toContain(path.join(folder, 'key'));
          expect(asForgeError(error).cause).toMatchObject({ code });
        }
      },
    );
    expect(operations).toBeGreaterThanOrEqual(7);
  });

  it('keeps the old content or the new one when the disk is gone from operation n on', () => {
    failEach(
      'EIO',
      'onwards',
      (folder, ops) => {
        writeFileSync(path.join(folder, 'key'), OLD);
        writeFileDurably(path.join(folder, 'key'), NEW, { ops });
      },
      (folder, error, n) => {
        expect([OLD, NEW], `operation ${n}`).toContainEqual(readFileSync(path.join(folder, 'key')));
        if (error === undefined) expect(readFileSync(path.join(folder, 'key'))).toEqual(NEW);
        removeLeftovers(folder);
        expect(readdirSync(folder)).toEqual(['key']);
      },
    );
  });

  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EROFS', 'the disk is read-only'],
    ['EACCES', 'permission denied'],
  ])('says what %s means', (code, words) => {
    const file = path.join(tempDir(), 'key');
    expect(() => writeFileDurably(file, NEW, { ops: failingFileOps(1, code, 'once').ops })).toThrow(words);
  });

  it.each(['EINVAL', 'ENOTSUP'])('does without the sync of a folder where the disk has none (%s)', (code) => {
    const file = path.join(tempDir(), 'key');
    let syncs = 0;
    const ops: FileOps = {
      ...nodeFileOps,
      fsyncSync: (fd) => {
        syncs += 1;
        if (syncs === 2) throw Object.assign(new Error(code), { code });
        nodeFileOps.fsyncSync(fd);
      },
    };
    writeFileDurably(file, NEW, { ops });
    expect(readFileSync(file)).toEqual(NEW);
    expect(syncs).toBe(2);
  });
});

describe('writeFolderDurably', () => {
  const files = new Map([
    ['manifest.yaml', OLD],
    ['tools/deep/run.js', NEW],
    ['tools/list.js', OLD],
  ]);

  it('makes the folder with all files and sub-folders', () => {
    const folder = path.join(tempDir(), 'jira');
    writeFolderDurably(folder, files);
    for (const [name, bytes] of files) expect(readFileSync(path.join(folder, name))).toEqual(bytes);
    expect(statSync(path.join(folder, 'tools')).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, 'tools/list.js')).mode & 0o777).toBe(0o600);
  });

  it('refuses a folder that is there, and leaves it alone', () => {
    const folder = path.join(tempDir(), 'jira');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'kept'), OLD);
    expect(() => writeFolderDurably(folder, files)).toThrow('it is there already');
    expect(readdirSync(folder)).toEqual(['kept']);
  });

  it.each(['../out.js', '/etc/passwd', 'a//b', 'a/./b', 'tools/../../out', '..\\out', 'C:evil', ''])(
    'refuses the name %j before anything is written',
    (name) => {
      const folder = path.join(tempDir(), 'jira');
      expect(() => writeFolderDurably(folder, new Map([[name, NEW]]))).toThrow('not a path inside a folder');
      expect(existsSync(folder)).toBe(false);
    },
  );

  it.each(['ENOSPC', 'EIO'])('leaves all of it or nothing when operation n fails with %s', (code) => {
    const operations = failEach(
      code,
      'once',
      (folder, ops) => writeFolderDurably(path.join(folder, 'jira'), files, { ops }),
      (folder, error, n) => {
        if (error === undefined) {
          for (const [name, bytes] of files) expect(readFileSync(path.join(folder, 'jira', name))).toEqual(bytes);
        } else {
          expect(asForgeError(error).code).toBe('disk_write_failed');
          expect(readdirSync(folder), `operation ${n}`).toEqual([]);
        }
      },
    );
    expect(operations).toBeGreaterThan(20);
  });
});

describe('moveDurably', () => {
  it.each(['once', 'onwards'] as const)(
    'has the file in one of the two places when operation n fails %s',
    (duration) => {
      failEach(
        'EIO',
        duration,
        (folder, ops) => {
          mkdirSync(path.join(folder, 'to'));
          writeFileSync(path.join(folder, 'a'), NEW);
          moveDurably(path.join(folder, 'a'), path.join(folder, 'to', 'b'), ops);
        },
        (folder, error) => {
          const places = [path.join(folder, 'a'), path.join(folder, 'to', 'b')].filter((place) => existsSync(place));
          expect(places).toHaveLength(1);
          expect(readFileSync(places[0]!)).toEqual(NEW);
          if (error !== undefined) expect(asForgeError(error).code).toBe('disk_write_failed');
        },
      );
    },
  );

  it('names both places when it fails', () => {
    const folder = tempDir();
    const act = () => moveDurably(path.join(folder, 'missing'), path.join(folder, 'b'));
    expect(act).toThrow(path.join(folder, 'missing'));
    expect(act).toThrow(path.join(folder, 'b'));
  });
});

describe('removing', () => {
  it('removes a folder with all it holds, and does not mind one that is gone', () => {
    const folder = path.join(tempDir(), 'jira');
    writeFolderDurably(folder, new Map([['tools/a.js', NEW]]));
    removeFolder(folder);
    expect(existsSync(folder)).toBe(false);
    removeFolder(folder);
    expect(existsSync(folder)).toBe(false);
  });

  it('says so when a folder cannot be removed', () => {
    const { ops } = failingFileOps(1, 'EACCES', 'once');
    expect(() => removeFolder(path.join(tempDir(), 'jira'), ops)).toThrow('could not be removed completely');
  });

  it('removes the leftovers of a killed process and nothing else', () => {
    const folder = tempDir();
    for (const name of ['key', '.hidden', '.key.0123456789ab.tmp', 'notes.tmp'])
      writeFileSync(path.join(folder, name), OLD);
    expect(removeLeftovers(folder)).toEqual(['.key.0123456789ab.tmp']);
    expect(readdirSync(folder).sort()).toEqual(['.hidden', 'key', 'notes.tmp']);
  });
});
