import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { checkPrivateFile, openDataDir } from './data-dir.ts';
import { failingFileOps } from './testing/failing-file-ops.ts';
import { tempDir } from './testing/temp-dir.ts';

function failureOf(act: () => unknown): ForgeError {
  try {
    act();
  } catch (error) {
    if (error instanceof ForgeError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('openDataDir', () => {
  it('C-113 makes the data dir and its parents, for the owner only', () => {
    const root = path.join(tempDir(), '.forge', 'data');
    const dataDir = openDataDir(root);
    for (const folder of [path.dirname(root), root, dataDir.connectors, dataDir.files]) {
      expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
    }
  });

  it('C-113 knows where everything is below the given folder', () => {
    const root = path.join(tempDir(), 'data');
    expect(openDataDir(root)).toEqual({
      root,
      database: path.join(root, 'forge.db'),
      connectors: path.join(root, 'connectors'),
      files: path.join(root, 'files'),
      key: path.join(root, 'key'),
      token: path.join(root, 'token'),
      bridgeKey: path.join(root, 'bridge-key'),
      cacheKey: path.join(root, 'cache-key'),
      callLogHead: path.join(root, 'call-log-head'),
      lock: path.join(root, 'lock.db'),
      serverInfo: path.join(root, 'server.json'),
    });
  });

  it('C-113 opens the same data dir again', () => {
    const root = path.join(tempDir(), 'data');
    writeFileSync(path.join(openDataDir(root).connectors, 'kept'), '');
    expect(existsSync(path.join(openDataDir(root).connectors, 'kept'))).toBe(true);
  });

  it.each([0o755, 0o750, 0o701, 0o770])('refuses mode %o and gives the command that closes it', (mode) => {
    const root = path.join(tempDir(), "it's data");
    mkdirSync(root);
    chmodSync(root, mode);
    const error = failureOf(() => openDataDir(root));
    expect(error.code).toBe('data_dir_open');
    expect(error.message).toContain('is readable by others');
    expect(error.hint).toBe(`Run: chmod 700 '${root.replace("'", "'\\''")}'`);
    expect(existsSync(path.join(root, 'connectors'))).toBe(false);
  });

  it('looks at the folder behind a symbolic link', () => {
    const folder = tempDir();
    mkdirSync(path.join(folder, 'open'), { mode: 0o755 });
    symlinkSync(path.join(folder, 'open'), path.join(folder, 'link'));
    expect(failureOf(() => openDataDir(path.join(folder, 'link'))).code).toBe('data_dir_open');
  });

  it('refuses a folder of another user', () => {
    const root = path.join(tempDir(), 'data');
    openDataDir(root);
    const error = failureOf(() => openDataDir(root, { uid: (process.getuid?.() ?? 0) + 1 }));
    expect(error.code).toBe('data_dir_open');
    expect(error.message).toContain('belongs to another user');
  });

  it('checks no permissions where the system has no such users', () => {
    const root = path.join(tempDir(), 'data');
    mkdirSync(root, { mode: 0o755 });
    expect(openDataDir(root, { uid: null }).root).toBe(root);
  });

  it('refuses a file, and a path that leads through one', () => {
    const file = path.join(tempDir(), 'file');
    writeFileSync(file, '');
    expect(failureOf(() => openDataDir(file))).toMatchObject({ code: 'data_dir_unusable' });
    expect(failureOf(() => openDataDir(path.join(file, 'data')))).toMatchObject({ code: 'data_dir_unusable' });
  });

  it('refuses a place where nothing can be made', () => {
    const root = path.join(tempDir(), 'data');
    const error = failureOf(() => openDataDir(root, { ops: failingFileOps(1, 'EACCES', 'once').ops }));
    expect(error).toMatchObject({ code: 'data_dir_unusable' });
    expect(error.message).toContain('it could not be made: permission denied');
  });

  it('refuses a read-only folder', () => {
    const root = path.join(tempDir(), 'data');
    openDataDir(root);
    const error = failureOf(() => openDataDir(root, { ops: failingFileOps(1, 'EROFS', 'once').ops }));
    expect(error).toMatchObject({ code: 'data_dir_unusable' });
    expect(error.message).toContain('the disk is read-only');
  });
});

describe('checkPrivateFile', () => {
  it.each([0o644, 0o640, 0o604, 0o620])('refuses mode %o and gives the command that closes it', (mode) => {
    const file = path.join(tempDir(), 'key');
    writeFileSync(file, '');
    chmodSync(file, mode);
    const error = failureOf(() => checkPrivateFile(file));
    expect(error.code).toBe('data_dir_open');
    expect(error.hint).toBe(`Run: chmod 600 '${file}'`);
    chmodSync(file, 0o600);
    expect(() => checkPrivateFile(file)).not.toThrow();
  });

  it('S15 refuses a link, wherever it leads, and gives the command that brings the file home', () => {
    const folder = tempDir();
    const [file, target] = [path.join(folder, 'key'), path.join(folder, 'target')];
    symlinkSync(target, file);
    expect(failureOf(() => checkPrivateFile(file))).toMatchObject({ code: 'data_dir_open' });
    writeFileSync(target, '', { mode: 0o600 });
    const error = failureOf(() => checkPrivateFile(file));
    expect(error.message).toContain('is a symbolic link');
    expect(error.hint).toBe(`Run: mv -f "$(readlink -f '${file}')" '${file}'`);
  });

  it('S15 every file of a data dir is looked at when it is opened', () => {
    const dataDir = openDataDir(path.join(tempDir(), 'data'));
    for (const file of ['database', 'key', 'token', 'bridgeKey', 'lock', 'serverInfo'] as const) {
      writeFileSync(dataDir[file], '', { mode: 0o644 });
      chmodSync(dataDir[file], 0o644);
      expect(failureOf(() => openDataDir(dataDir.root)).hint, file).toBe(`Run: chmod 600 '${dataDir[file]}'`);
      chmodSync(dataDir[file], 0o600);
    }
    expect(openDataDir(dataDir.root)).toEqual(dataDir);
  });

  it('passes a file that is not there, and refuses a folder in its place', () => {
    const folder = tempDir();
    expect(() => checkPrivateFile(path.join(folder, 'key'))).not.toThrow();
    expect(failureOf(() => checkPrivateFile(folder)).code).toBe('data_dir_unusable');
  });
});
