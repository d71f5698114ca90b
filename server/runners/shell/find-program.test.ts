import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { invocationOf } from './batch-file.ts';
import { findProgram } from './find-program.ts';

function program(folder: string, name: string, mode = 0o755): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, mode);
  return file;
}

describe('finding a program', () => {
  it('C-99 takes the first folder of the PATH that has it', () => {
    const root = tempDir();
    const first = program(path.join(root, 'a'), 'tool');
    program(path.join(root, 'b'), 'tool');
    const env = { PATH: `${root}/none:${root}/a:${root}/b` };
    expect(findProgram('tool', { env, platform: 'linux' })).toBe(first);
  });

  it('C-99 passes over a folder, a dangling link and a file that may not be executed', () => {
    const root = tempDir();
    mkdirSync(path.join(root, 'a/tool'), { recursive: true });
    mkdirSync(path.join(root, 'b'));
    symlinkSync(path.join(root, 'gone'), path.join(root, 'b/tool'));
    program(path.join(root, 'c'), 'tool', 0o644);
    const found = program(path.join(root, 'd'), 'tool');
    const env = { PATH: ['a', 'b', 'c', 'd'].map((name) => path.join(root, name)).join(':') };
    expect(findProgram('tool', { env, platform: 'linux' })).toBe(found);
  });

  it('C-99 ignores empty and relative entries, which mean the current folder', () => {
    const env = { PATH: ':.:node_modules/.bin:' };
    expect(() => findProgram('tsc', { env, platform: 'linux' })).toThrow(/the PATH names no folder/);
  });

  it('C-99 names the program and the folders it looked in', () => {
    const root = tempDir();
    const env = { PATH: `${root}/a:${root}/b` };
    expect(() => findProgram('kubectl', { env, platform: 'linux' })).toThrow(
      expect.objectContaining({
        code: 'command_not_found',
        message: `kubectl was not found: looked in ${root}/a, ${root}/b`,
        details: { program: 'kubectl', folders: [`${root}/a`, `${root}/b`] },
      }),
    );
  });

  it('says that a file is there but may not be executed', () => {
    const root = tempDir();
    const file = program(root, 'tool', 0o644);
    const place = { env: { PATH: root }, platform: 'linux' } as const;
    expect(() => findProgram('tool', place)).toThrow(`${file} is there, but it may not be executed`);
    expect(() => findProgram(file, place)).toThrow(`${file} is there, but it may not be executed`);
  });

  it('takes a full path as it is', () => {
    const file = program(tempDir(), 'tool');
    expect(findProgram(file, { env: {}, platform: 'linux' })).toBe(file);
    expect(() => findProgram(`${file}-2`, { env: {}, platform: 'linux' })).toThrow(/there is no program/);
  });

  it.each(['./tool', 'bin/tool', '../tool', ''])('C-99 refuses %j', (name) => {
    expect(() => findProgram(name, { env: { PATH: '/usr/bin' }, platform: 'linux' })).toThrow(
      expect.objectContaining({ code: 'command_not_found' }),
    );
  });
});

describe('finding a program on Windows', () => {
  const files = new Set(['C:\\git\\git.exe', 'C:\\npm\\npm.cmd', 'C:\\tools\\run.js']);
  const find = (name: string, env: Record<string, string> = {}): string =>
    findProgram(name, {
      env: { Path: 'C:\\none;"C:\\git";C:\\npm;C:\\tools;relative', ...env },
      platform: 'win32',
      inspect: (file) => (files.has(file) ? 'program' : 'nothing'),
    });

  it.each([
    ['git', 'C:\\git\\git.exe'],
    ['git.exe', 'C:\\git\\git.exe'],
    ['npm', 'C:\\npm\\npm.cmd'],
    ['C:\\git\\git', 'C:\\git\\git.exe'],
  ])('%s is %s', (name, file) => {
    expect(find(name, { PATHEXT: '.COM;.EXE;.BAT;.CMD;.JS' })).toBe(file);
  });

  it.each(['run', 'bin\\git', 'bin/git', 'C:git'])('%s is not found', (name) => {
    expect(() => find(name, { PATHEXT: '.EXE;.JS' })).toThrow(expect.objectContaining({ code: 'command_not_found' }));
  });
});

describe('starting a batch file', () => {
  const place = { env: { SystemRoot: 'D:\\Windows' }, platform: 'win32' } as const;

  it('goes through the system’s own cmd.exe with every argument quoted', () => {
    expect(invocationOf('C:\\npm\\npm.cmd', ['run', 'a b'], place)).toEqual({
      file: 'D:\\Windows\\System32\\cmd.exe',
      args: ['/d', '/v:off', '/s', '/c', '""C:\\npm\\npm.cmd" "run" "a b""'],
      isVerbatim: true,
    });
  });

  it.each(['"&calc&"', '%PATH%', 'a|b', 'a&b', '^', '!x!', '<in', '>out', '(a)', 'a\nb', 'C:\\'])(
    'C-99 refuses the argument %j, which cmd.exe would interpret',
    (argument) => {
      expect(() => invocationOf('C:\\npm\\npm.CMD', ['ok', argument], place)).toThrow(
        expect.objectContaining({ code: 'unsafe_value', message: expect.stringContaining('argument 2') }),
      );
    },
  );

  it('starts an .exe directly, with any argument', () => {
    const args = ['%PATH%', '"&calc&"'];
    expect(invocationOf('C:\\git\\git.exe', args, place)).toEqual({
      file: 'C:\\git\\git.exe',
      args,
      isVerbatim: false,
    });
    expect(invocationOf('/opt/x.cmd', args, { env: {}, platform: 'linux' }).file).toBe('/opt/x.cmd');
  });
});
