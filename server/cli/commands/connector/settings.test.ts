import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest } from '../../../testing/forge.ts';
import { cliWorld } from '../../testing/cli-world.ts';

const TYPES = manifest().replace(
  'settings:\n',
  `settings:
  count: { type: integer, label: Count, default: 3 }
  ratio: { type: number }
  fast: { type: boolean }
  mode: { type: select, options: [low, high] }
  extra: { type: json }
`,
);

const ROWS = `id: ci
name: CI
version: "1.0.0"
description: Builds on one or several servers of a kind.
settings:
  instances:
    type: instances
    label: Servers
    required: true
    fields:
      name: { type: string, required: true, label: Name }
      base_url: { type: string, required: true, label: Address }
      api_token: { type: secret, label: API token }
      inject_params:
        type: instances
        fields:
          name: { type: string, required: true }
          value: { type: secret, required: true }
tools:
  list_jobs: { protocol: http, description: List jobs., request: { method: GET, url: '{settings.base_url}/jobs' } }
`;

async function worldWith(yaml: string) {
  const world = cliWorld();
  const file = world.write('connector.yaml', yaml);
  expect((await world.run(`connector install ${file}`)).code).toBe(0);
  const id = /^id: (\w+)/.exec(yaml)?.[1] ?? '';
  const json = async () =>
    JSON.parse((await world.run(`connector settings ${id} --json`)).stdout) as Record<string, never>;
  return { ...world, json };
}

describe('forge connector settings', () => {
  it('S5 says when a secret is too short to be masked, and nothing about a good one', async () => {
    const world = await worldWith(manifest());
    const save = async (secret: string) =>
      (await world.run('connector settings demo --secret token', { stdin: `${secret}\n` })).stdout;
    expect(await save('482913')).toContain('Access token is shorter than 8 characters: Forge cannot mask it reliably');
    expect(await save('vt-8c1f0e7a5b2d4936')).not.toContain('mask');
  });

  it('C-20 shows each field with its label, name, value and what is missing', async () => {
    const world = await worldWith(TYPES);
    const { stdout } = await world.run('connector settings demo');
    expect(stdout).toMatch(/^LABEL +NAME +VALUE/);
    expect(stdout).toMatch(/^Count +count +3 +default$/m);
    expect(stdout).toMatch(/^Base URL +base_url +required, missing$/m);
  });

  it('C-21 sets every type from text', async () => {
    const world = await worldWith(TYPES);
    const { code } = await world.runArgs([
      ...[
        'connector',
        'settings',
        'demo',
        '--set',
        'base_url=https://x.test/?a=b',
        '--set',
        'count=7',
        '--set',
        'ratio=1.5',
      ],
      ...['--set', 'fast=true', '--set', 'mode=high', '--set', 'extra={"a": [1]}'],
    ]);
    expect(code).toBe(0);
    const values = {
      base_url: 'https://x.test/?a=b',
      count: 7,
      ratio: 1.5,
      fast: true,
      mode: 'high',
      extra: { a: [1] },
    };
    expect((await world.json())['values']).toMatchObject(values);
    expect((await world.run('connector settings demo --unset count')).code).toBe(0);
    expect((await world.json())['values']).toMatchObject({ ...values, count: null });
  });

  it('tells every field that is wrong, and saves none', async () => {
    const world = await worldWith(TYPES);
    const { code, stderr } = await world.run(
      'connector settings demo --set count=many --set mode=fast --set base_ur=x',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('count (Count) must be a number');
    expect(stderr).toContain('mode (mode) must be one of low, high');
    expect(stderr).toContain('did you mean base_url?');
    expect(await world.json()).toMatchObject({ revision: 0 });
  });

  it('reads a secret from standard input without its last line break, and never shows it', async () => {
    const world = await worldWith(manifest());
    const saved = await world.run('connector settings demo --secret token', { stdin: 'Xyz-123-abc\n' });
    expect([saved.code, saved.stdout]).toEqual([0, expect.stringContaining('saved the settings of demo')]);
    const shown = await world.run('connector settings demo');
    expect(shown.stdout).toMatch(/^Access token +token +••••• +saved \d{4}-\d\d-\d\d$/m);
    expect(readFileSync(path.join(world.dataDir, 'forge.db')).includes('Xyz-123-abc')).toBe(false);
    const forge = await world.startServer();
    const { catalog, settings } = forge.services;
    const resolved = settings.resolve(catalog.getPackage('demo'), () => null);
    expect((resolved['token'] as { reveal(): string }).reveal()).toBe('Xyz-123-abc');
    expect(saved.stdout + saved.stderr + shown.stdout).not.toContain('Xyz');
  });

  it('asks for a secret on a terminal without showing what is typed', async () => {
    const world = await worldWith(manifest());
    const { code, stdout } = await world.run('connector settings demo --secret token', {
      answers: [['Access token', 'Typed-secret\r']],
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain('Typed');
    expect((await world.json())['values']).toMatchObject({ token: { $secret: true } });
    const left = await world.run('connector settings demo --secret token', { answers: [['Access token', '\u0003']] });
    expect([left.code, left.stdout]).toEqual([1, expect.stringContaining('Nothing was saved.')]);
  });

  it.each([
    ['--secret', 'token=Leaked-1'],
    ['--set', 'token=Leaked-1'],
  ])('refuses a secret on the command line: %s %s', async (option, argument) => {
    const world = await worldWith(manifest());
    const { code, stdout, stderr } = await world.runArgs(['connector', 'settings', 'demo', option, argument]);
    expect(code).toBe(2);
    expect(stderr).toContain('other programs');
    expect(stderr).toContain('leaked');
    expect(stdout + stderr).not.toContain('Leaked-1');
    expect(await world.json()).toMatchObject({ values: { token: null }, revision: 0 });
  });

  it('refuses secrets inside rows that are given as JSON, and leaves them alone when they are kept', async () => {
    const world = await worldWith(ROWS);
    const rows = JSON.stringify([{ name: 'prod', base_url: 'https://ci', api_token: 'Leaked-1' }]);
    const refused = await world.runArgs(['connector', 'settings', 'ci', '--set', `instances=${rows}`]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.not.stringContaining('Leaked')]);
    const plain = JSON.stringify([{ name: 'prod', base_url: 'https://ci' }]);
    expect((await world.runArgs(['connector', 'settings', 'ci', '--set', `instances=${plain}`])).code).toBe(0);
  });

  it('takes one line for each of several secrets, and refuses any other number of lines', async () => {
    const world = await worldWith(ROWS);
    await world.run('connector settings ci --set instances.a.base_url=https://a --set instances.b.base_url=https://b');
    const both = 'connector settings ci --secret instances.a.api_token --secret instances.b.api_token';
    const wrong = await world.run(both, { stdin: 'one\ntwo\nthree\n' });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('3 lines for 2 secrets')]);
    expect((await world.run(both, { stdin: 'one\r\ntwo\r\n' })).code).toBe(0);
    const masked = { $secret: true };
    expect((await world.json())['values']).toMatchObject({ instances: [{ api_token: masked }, { api_token: masked }] });
    const empty = await world.run('connector settings ci --secret instances.a.api_token', { stdin: '\n' });
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('is empty')]);
  });

  it('C-91 adds and changes rows by their name, and keeps their ids and secrets', async () => {
    const world = await worldWith(ROWS);
    await world.run(
      'connector settings ci --set instances.prod.base_url=https://ci --secret instances.prod.api_token',
      { stdin: 'abc' },
    );
    const before = (await world.json())['values'] as unknown as { instances: { $id: string; api_token: unknown }[] };
    expect(
      (
        await world.run(
          'connector settings ci --set instances.prod.base_url=https://new --set instances.eu.west.base_url=x',
        )
      ).code,
    ).toBe(1);
    expect(
      (
        await world.run(
          'connector settings ci --set instances.prod.base_url=https://new --set instances.dev.base_url=https://dev',
        )
      ).code,
    ).toBe(0);
    const after = (await world.json())['values'] as unknown as typeof before;
    expect(after.instances).toMatchObject([
      {
        $id: before.instances[0]?.$id,
        name: 'prod',
        base_url: 'https://new',
        api_token: before.instances[0]?.api_token,
      },
      { name: 'dev', base_url: 'https://dev', api_token: null },
    ]);
    const { stdout } = await world.run('connector settings ci');
    expect(stdout).toMatch(/^API token +instances\.prod\.api_token +••••• +saved/m);
    expect((await world.run('connector settings ci --unset instances.prod')).code).toBe(0);
    expect((await world.json())['values']).toMatchObject({ instances: [{ name: 'dev' }] });
    const gone = await world.run('connector settings ci --unset instances.prod');
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('The rows are dev.')]);
  });

  it('C-97 reaches rows inside rows', async () => {
    const world = await worldWith(ROWS);
    const argv =
      'connector settings ci --set instances.prod.base_url=https://ci --secret instances.prod.inject_params.TOKEN.value';
    expect((await world.run(argv, { stdin: 'nested-secret' })).code).toBe(0);
    expect((await world.json())['values']).toMatchObject({
      instances: [{ name: 'prod', inject_params: [{ name: 'TOKEN', value: { $secret: true } }] }],
    });
    expect((await world.run('connector settings ci --unset instances.prod.inject_params.TOKEN')).code).toBe(0);
    expect((await world.json())['values']).toMatchObject({ instances: [{ name: 'prod', inject_params: [] }] });
  });

  it('notices that somebody saved in between', async () => {
    const world = await worldWith(manifest());
    const { catalog, settings } = (await world.startServer()).services;
    // While the person types, the page saves.
    const typeLate = async () => {
      await settings.save(catalog.getPackage('demo'), { base_url: 'https://page' });
      return 'late\r';
    };
    const outcome = await world.run('connector settings demo --secret token', {
      answers: [['Access token', typeLate]],
    });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('at revision 1, not 0') });
    expect(await world.json()).toMatchObject({ revision: 1, values: { base_url: 'https://page', token: null } });
  });

  it('marks what is left over from an earlier version, and removes it by name', async () => {
    const world = await worldWith(manifest());
    await world.run('connector settings demo --set base_url=https://x.test');
    const next = manifest('', 'demo', '0.2.0').replaceAll('base_url', 'site_url');
    await world.run(`connector install ${world.write('next.yaml', next)}`);
    expect((await world.run('connector settings demo')).stdout).toMatch(/base_url +left over from an earlier version/);
    expect((await world.run('connector settings demo --unset base_url')).code).toBe(0);
    expect(await world.json()).toMatchObject({ leftover: [] });
  });

  it.each([
    ['--set base_url', '--set needs a name and a value'],
    ['--secret base_url', 'base_url is not a secret'],
    ['--set __proto__.x=1', 'is not the name of a setting'],
    ['--set .=1', 'is not the name of a setting'],
  ])('refuses %s', async (options, message) => {
    const world = await worldWith(manifest());
    expect(await world.run(`connector settings demo ${options}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it('says that there is no such connector', async () => {
    const { code, stderr } = await cliWorld().run('connector settings nothing --set a=b');
    expect([code, stderr]).toEqual([1, expect.stringContaining('`forge connector list` shows the installed ones.')]);
  });
});
