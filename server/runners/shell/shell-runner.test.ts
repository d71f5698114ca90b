import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../store/testing/temp-dir.ts';
import { js, marker, nothingLeft, PATH, run, sh } from './testing/run-command.ts';

describe('running a program', () => {
  it.each([0, 1, 2, 127, 255])('C-04 D-07 hands back the exit code %i as it is', async (code) => {
    expect(await run({ argv: sh(`exit ${code}`) })).toMatchObject({ exitCode: code, signal: null });
  });

  it('C-04 D-07 keeps stdout and stderr apart', async () => {
    expect(await run({ argv: sh('echo out; echo err >&2; exit 3') })).toEqual({
      kind: 'shell',
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      droppedBytes: 0,
    });
  });

  it('says by which signal a program died', async () => {
    expect(await run({ argv: sh('kill -SEGV $$') })).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
  });

  it('C-99 no shell reads the arguments', async () => {
    const hostile = [
      '$(id)',
      '`id`',
      '; echo x',
      '| cat',
      '> /tmp/x',
      '*',
      '~',
      "'",
      '"',
      '\\',
      '\n',
      ' ',
      '-n',
      'é😀',
    ];
    const { stdout } = await run({
      argv: [...js('console.log(JSON.stringify(process.argv.slice(1)))'), '--', ...hostile],
    });
    expect(JSON.parse(stdout)).toEqual(hostile);
  });

  it('C-99 a program sees exactly the command line it was asked for', async () => {
    const { stdout } = await run({ argv: ['cat', '/proc/self/cmdline'] });
    expect(stdout).toBe('cat\0/proc/self/cmdline\0');
  });

  it('C-99 the input is empty, so that a question ends instead of waiting', async () => {
    expect(await run({ argv: ['cat'] })).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('C-99 names a program that is not installed, and where it looked', async () => {
    await expect(run({ argv: ['no-such-program-here'] })).rejects.toMatchObject({
      code: 'command_not_found',
      message: 'no-such-program-here was not found: looked in /usr/local/bin, /usr/bin, /bin',
    });
  });

  it('says what is wrong with a script whose interpreter is missing', async () => {
    const file = path.join(tempDir(), 'script');
    writeFileSync(file, '#!/no/such/interpreter\n');
    chmodSync(file, 0o755);
    await expect(run({ argv: [file] })).rejects.toMatchObject({
      code: 'command_failed',
      message: expect.stringContaining('the program named in its first line is not there'),
    });
  });

  it.each([
    ['an argument', { argv: ['echo', 'a\0b'] }],
    ['a variable', { argv: ['echo'], job: { env: { X: 'a\0b' } } }],
  ])('refuses a zero byte in %s', async (_what, job) => {
    await expect(run(job)).rejects.toMatchObject({ code: 'unsafe_value' });
  });

  it('says when the arguments are too long for the system', async () => {
    await expect(run({ argv: ['echo', 'x'.repeat(4_000_000)] })).rejects.toMatchObject({
      code: 'command_failed',
      message: expect.stringContaining('longer than the system allows'),
    });
  });
});

describe('the environment of a program', () => {
  const planted = {
    PATH,
    HOME: '/home/ana',
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    FORGE_ENCRYPTION_KEY: 'planted-1',
    FORG_TOKEN: 'planted-2',
    AWS_SECRET_ACCESS_KEY: 'planted-3',
    NODE_OPTIONS: '--require=/planted-4',
    LD_PRELOAD: '/planted-5.so',
  };

  it('C-99 holds the harmless variables and the tool’s own, and nothing else', async () => {
    const options = { baseEnv: planted };
    const { stdout } = await run({ argv: ['cat', '/proc/self/environ'], options, job: { env: { GH_TOKEN: 't0ken' } } });
    const entries = stdout.split('\0').filter((entry) => entry !== '' && !/^FORGE_RUN=[0-9a-f.]+$/.test(entry));
    expect(entries.sort()).toEqual(['GH_TOKEN=t0ken', 'HOME=/home/ana', 'LANG=C.UTF-8', `PATH=${PATH}`, 'TERM=dumb']);
    expect(stdout.match(/FORGE_RUN=/g)).toHaveLength(1);
    expect(stdout).not.toContain('planted');
  });

  it('C-99 finds the program on the PATH the program itself gets', async () => {
    const folder = tempDir();
    writeFileSync(path.join(folder, 'own-tool'), '#!/bin/sh\necho own\n', { mode: 0o755 });
    const { stdout } = await run({ argv: ['own-tool'], job: { env: { PATH: folder } } });
    expect(stdout).toBe('own\n');
    await expect(run({ argv: ['own-tool'] })).rejects.toMatchObject({ code: 'command_not_found' });
  });
});

describe('the folder a program starts in', () => {
  it.each([
    ['the home by default', null, '.'],
    ['a full path', 'FULL', 'sub'],
    ['a path below the home', 'sub', 'sub'],
    ['~', '~', '.'],
    ['~/sub', '~/sub', 'sub'],
  ])('C-99 is %s', async (_title, cwd, expected) => {
    const home = realpathSync(tempDir());
    mkdirSync(path.join(home, 'sub'));
    const wanted = cwd === 'FULL' ? path.join(home, 'sub') : cwd;
    const { stdout } = await run({ argv: ['pwd'], options: { defaultCwd: home }, job: { cwd: wanted } });
    expect(stdout).toBe(`${path.join(home, expected)}\n`);
  });

  it.each(['/no/such/folder', '/etc/passwd', '/etc/passwd/x', '/a\0b'])('C-99 cannot be %j', async (cwd) => {
    await expect(run({ argv: ['pwd'], job: { cwd } })).rejects.toMatchObject({
      code: 'command_failed',
      message: expect.stringContaining('there is no such folder'),
    });
  });
});

describe('output', () => {
  it('C-99 keeps the tail of a long output and counts what was dropped', async () => {
    const { stdout, droppedBytes } = await run({ argv: ['seq', '1', '400000'] });
    const printed = Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(stdout.length).toBe(1024 * 1024);
    expect(printed.endsWith(stdout)).toBe(true);
    expect(droppedBytes).toBe(printed.length - stdout.length);
  });

  it('C-99 survives bytes that are no text', async () => {
    const { stdout } = await run({
      argv: js('process.stdout.write(Buffer.from([0, 255, 254, 27, 128, 65, 240, 159]))'),
    });
    expect(stdout).toBe('\0\ufffd\ufffd\u001b\ufffdA\ufffd');
  });

  it('C-99 shows output as it comes, with no character cut in two', async () => {
    const shown: string[] = [];
    const { stdout } = await run({
      argv: js(`
        const bytes = [...Buffer.from('ä€😀')];
        const next = () => { if (bytes.length > 0) process.stdout.write(Buffer.from([bytes.shift()]), () => setTimeout(next, 5)); };
        next();`),
      onOutput: (stream, text) => shown.push(`${stream}:${text}`),
    });
    expect(stdout).toBe('ä€😀');
    expect(shown).toEqual(['stdout:ä', 'stdout:€', 'stdout:😀']);
  });

  it('C-99 shows an unfinished character when the output ends there', async () => {
    const shown: string[] = [];
    await run({
      argv: js('process.stdout.write(Buffer.from([65, 0xe2, 0x82]))'),
      onOutput: (_, text) => shown.push(text),
    });
    expect(shown.join('')).toBe('A\ufffd');
  });

  it('C-99 loses nothing when 32 programs run at once', async () => {
    const runs = Array.from({ length: 32 }, (_, index) =>
      run({ argv: ['seq', String(index), String(index + 60_000)] }),
    );
    const responses = await Promise.all(runs);
    for (const [index, response] of responses.entries()) {
      const expected = Array.from({ length: 60_001 }, (_, offset) => `${index + offset}\n`).join('');
      expect(response.stdout === expected, `output of run ${index}`).toBe(true);
    }
  });

  it('C-99 stops a program that prints without end', async () => {
    const env = marker();
    const error = run({ argv: ['yes', 'again'], options: { maxTotalBytes: 3 * 1024 * 1024 }, job: { env } });
    await expect(error).rejects.toMatchObject({
      code: 'command_failed',
      message: expect.stringMatching(
        /^yes was stopped because it printed more than 3 MiB\. The last it printed: .*again/s,
      ),
    });
    await nothingLeft(env);
  });

  it('stops the program when whoever is shown the output fails', async () => {
    const env = marker();
    const failure = new Error('connection lost');
    const onOutput = (): void => {
      throw failure;
    };
    const error = run({ argv: sh('echo ready; exec sleep 1000'), job: { env }, onOutput });
    await expect(error).rejects.toMatchObject({ code: 'command_failed', cause: failure });
    await nothingLeft(env);
  });
});
