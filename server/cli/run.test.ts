import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORGE_VERSION } from '../version.ts';
import { cliWorld } from './testing/cli-world.ts';

const COMMANDS = [
  [
    'start',
    'connector',
    'marketplace',
    'tools',
    'call',
    'result',
    'token',
    'secrets status',
    'secrets rotate',
    'doctor',
    'version',
  ],
  ['calls', 'calls list', 'calls show', 'calls export', 'calls verify'],
  ['approvals', 'approvals list', 'approvals approve', 'approvals deny', 'approvals standing', 'approvals revoke'],
  [
    'list',
    'show',
    'install',
    'settings',
    'test',
    'enable',
    'disable',
    'refresh',
    'update',
    'diff',
    'remove',
    'lint',
  ].map((word) => `connector ${word}`),
].flat();

describe('forge', () => {
  it.each(COMMANDS)('%s --help has a description, examples and the exit codes', async (command) => {
    const { code, stdout, stderr } = await cliWorld().run(`${command} --help`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: forge ${command.replace('connector', 'connector\\S*')}`));
    expect(stdout).toMatch(/^Examples?:\n {2}\$ /m);
    expect(stdout).toContain('Exit codes:\n  0  done');
  });

  it.each(['version', '--version', '-V'])('%s prints the version', async (word) => {
    expect(await cliWorld().run(word)).toMatchObject({ code: 0, stdout: `${FORGE_VERSION}\n` });
  });

  it.each([
    ['conector list', "unknown command 'conector'", '(Did you mean connector?)'],
    ['connector instal x', "unknown command 'instal'", '(Did you mean install?)'],
    ['connector list --jsn', "unknown option '--jsn'", '(Did you mean --json?)'],
    ['connector show', "missing required argument 'id'", '--help'],
    ['connector show a b', 'too many arguments', '--help'],
    ['connector settings x --tokn=S3cret', "unknown option '--tokn'", '--help'],
  ])('%s: exit code 2 and what was meant', async (argv, message, hint) => {
    const { code, stdout, stderr } = await cliWorld().run(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`forge: ${message}`);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('S3cret');
  });

  it.each([[[]], [['connector']], [['secrets']]])(
    'shows help and ends with 2 when the command is missing: %j',
    async (argv) => {
      const { code, stderr } = await cliWorld().runArgs(argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Commands:')]);
    },
  );
});

it('loads nothing heavy before a command needs it', () => {
  // Followed by hand: the imports that are made when the entry is loaded, without those behind import().
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm,
    )) {
      if (specifier.endsWith('.ts')) visit(path.resolve(path.dirname(file), specifier));
      else if (!specifier.startsWith('node:') && !specifier.startsWith('.')) packages.add(specifier);
    }
  };
  visit(path.join(import.meta.dirname, 'forge.ts'));
  expect([...packages]).toEqual(['commander']);
});
