import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest } from '../../../testing/forge.ts';
import { cliWorld } from '../../testing/cli-world.ts';

const board = (version: string, script: string, host = 'board.example') => `id: board
name: Board
version: "${version}"
description: A board in the browser that people work with all day.
host_match: https://${host}/*
login_redirect: /login
tools:
  list_cards:
    description: List the cards.
    script: |
${script
  .split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
`;

async function installed(...yaml: string[]) {
  const world = cliWorld();
  for (const text of yaml)
    expect((await world.run(`connector install ${world.write('connector.yaml', text)}`)).code).toBe(0);
  return world;
}

describe('forge connector list, show, enable, disable, refresh', () => {
  it('lists connectors with their state, as a table and as JSON', async () => {
    const world = await installed(manifest('', 'one'), manifest('', 'two'));
    await world.run('connector settings one --set base_url=https://x.test');
    const { stdout } = await world.run('connector list');
    expect(stdout).toMatch(/^one +0\.1\.0 +1 +untested$/m);
    expect(stdout).toMatch(/^two +0\.1\.0 +1 +needs settings +Base URL is required$/m);
    const json = JSON.parse((await world.run('connector list --json')).stdout) as unknown;
    expect(json).toMatchObject([{ id: 'one', state: 'ready' }, { id: 'two', state: 'needs_settings' }]); // prettier-ignore
  });

  it('says so when there is none', async () => {
    expect(await cliWorld().run('connector list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No connector is installed yet'),
    });
  });

  it('shows one with what it can reach and its tools', async () => {
    const world = await installed(manifest());
    const { stdout } = await world.run('connector show demo');
    expect(stdout).toMatch(/^Demo \(demo\) 0\.1\.0$/m);
    expect(stdout).toMatch(/^hosts +\{base_url\}$/m);
    expect(stdout).toMatch(/^demo\.get_item +demo +http +on +only reads +Get one item\.$/m);
    expect(JSON.parse((await world.run('connector show demo --json')).stdout)).toMatchObject({
      id: 'demo',
      tool_list: [{ id: 'demo.get_item' }],
    });
  });

  it.each(['../etc', 'marketplace', '', 'a/b'])('refuses %j as an id', async (id) => {
    const { code, stderr } = await cliWorld().runArgs(['connector', 'show', id]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be the id of a connector')]);
  });

  it('switches off and on', async () => {
    const world = await installed(manifest());
    expect((await world.run('connector disable demo')).stdout).toBe('demo is disabled\n');
    expect((await world.run('tools')).stdout).toContain('There are no tools yet');
    expect((await world.run('connector enable demo')).stdout).toContain(
      'demo is enabled, but cannot be used yet: Base URL is required',
    );
    expect((await world.run('tools')).stdout).toContain('demo.get_item');
  });

  it('refreshes: a manifest that was broken on disk is told with its place', async () => {
    const world = await installed(manifest());
    const file = path.join(world.dataDir, 'connectors', 'demo', 'manifest.yaml');
    writeFileSync(file, manifest().replace('version: "0.1.0"', 'version: "0.1.1"'));
    expect(await world.run('connector refresh demo')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('demo 0.1.1 is needs settings'),
    });
    writeFileSync(file, manifest().replace('method: GET', 'method: GRAB'));
    const { code, stdout } = await world.run('connector refresh demo');
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${file}:15:`)]);
    expect(stdout).toContain('is broken');
  });
});

describe('forge connector update and diff', () => {
  it('C-122 W-20 shows what an update changes, updates, and keeps the settings', async () => {
    const world = cliWorld();
    world.offer(board('1.0.0', 'const a = 1;\nreturn a;'), manifest('', 'demo', '1.0.0'));
    await world.run('connector install board');
    await world.run('connector install demo');
    await world.run('connector settings demo --set base_url=https://x.test');
    world.offer(board('1.1.0', 'const a = 2;\nreturn a;', 'other.example'), manifest('', 'demo', '1.0.0'));
    await world.run('marketplace --refresh');
    expect((await world.run('connector list')).stdout).toContain('update to 1.1.0: forge connector update board');
    const { stdout: diff } = await world.run('connector diff board');
    expect(diff.split('\n').slice(0, 10)).toEqual([
      'board 1.0.0 → 1.1.0',
      '  + works in tabs of https://other.example/*',
      '  - works in tabs of https://board.example/*',
      '  the connector itself',
      '    ~ Tabs it works in: https://board.example/* → https://other.example/*',
      '  board.list_cards',
      '    ~ Script',
      '      - const a = 1;',
      '      + const a = 2;',
      '        return a;',
    ]);
    const { code, stdout } = await world.run('connector update');
    expect(code).toBe(0);
    expect(stdout).toContain('+ works in tabs of https://other.example/*');
    expect(stdout).toContain('updated board to 1.1.0');
    expect(stdout).not.toContain('demo');
    expect((await world.run('connector update')).stdout).toBe('Everything is up to date.\n');
    expect((await world.run('connector update demo')).stdout).toBe('demo 1.0.0 is up to date\n');
    expect((await world.run('connector settings demo')).stdout).toContain('https://x.test');
  });

  it('asks a person before each update, and warns that local changes would go', async () => {
    const world = cliWorld();
    world.offer(manifest('', 'demo', '1.0.0'));
    await world.run('connector install demo');
    const file = path.join(world.dataDir, 'connectors', 'demo', 'manifest.yaml');
    writeFileSync(file, `${readFileSync(file, 'utf8')}# mine\n`);
    world.offer(manifest('', 'demo', '2.0.0'));
    const no = await world.run('connector update', { answers: [['Update demo?', '\r']] });
    expect([no.stdout, no.stderr]).toEqual([
      expect.stringContaining('demo was left as it is'),
      expect.stringContaining('was edited here'),
    ]);
    expect(readFileSync(file, 'utf8')).toContain('# mine');
    expect((await world.run('connector update --yes', { answers: [] })).stdout).toContain('updated demo to 2.0.0');
    expect(readFileSync(file, 'utf8')).not.toContain('# mine');
  });

  it('updates the others when one fails, and ends with 1', async () => {
    const world = cliWorld();
    world.offer(manifest('', 'aaa', '1.0.0'), manifest('', 'bbb', '1.0.0'));
    await world.run('connector install aaa');
    await world.run('connector install bbb');
    world.offer(manifest('', 'aaa', '2.0.0'), manifest('', 'bbb', '2.0.0'));
    writeFileSync(path.join(world.registry, 'aaa', 'manifest.yaml'), 'id: aaa\n');
    const { code, stdout, stderr } = await world.run('connector update');
    expect([code, stderr, stdout]).toEqual([
      1,
      expect.stringContaining('not valid'),
      expect.stringContaining('updated bbb to 2.0.0'),
    ]);
  });

  it('compares with a file, and prints JSON', async () => {
    const world = await installed(manifest());
    const file = world.write(
      'next.yaml',
      manifest('', 'demo', '0.2.0').replace('{base_url}/items', 'https://evil.example/items'),
    );
    const { stdout } = await world.run(`connector diff demo --file ${file}`);
    expect(stdout).toContain('+ talks to https://evil.example');
    const json = JSON.parse((await world.run(`connector diff demo --file ${file} --json`)).stdout) as unknown;
    expect(json).toMatchObject({
      from_version: '0.1.0',
      to_version: '0.2.0',
      hosts: { added: ['https://evil.example'] },
    });
    expect((await world.run(`connector diff other --file ${file}`)).code).toBe(2);
  });
});

describe('forge connector remove', () => {
  it('needs to be told about the settings when nobody can be asked', async () => {
    const world = await installed(manifest());
    const { code, stderr } = await world.run('connector remove demo');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--keep-settings or --delete-settings')]);
    expect(existsSync(path.join(world.dataDir, 'connectors', 'demo'))).toBe(true);
    expect((await world.run('connector remove demo --keep-settings --delete-settings')).code).toBe(2);
  });

  it.each([
    ['--keep-settings', 'https://x.test'],
    ['--delete-settings', null],
  ])('removes with %s', async (option, expected) => {
    const world = await installed(manifest());
    await world.run('connector settings demo --set base_url=https://x.test');
    expect((await world.run(`connector remove demo ${option}`)).code).toBe(0);
    expect((await world.run('connector list --json')).stdout).toBe('[]\n');
    await world.run(`connector install ${path.join(world.root, 'connector.yaml')}`);
    expect(JSON.parse((await world.run('connector settings demo --json')).stdout)).toMatchObject({
      values: { base_url: expected },
    });
  });

  it('asks a person', async () => {
    const world = await installed(manifest());
    const down = '\u001b[B';
    const no = await world.run('connector remove demo', { answers: [['Remove demo?', `${down}${down}\r`]] });
    expect([no.code, no.stdout]).toEqual([3, expect.stringContaining('Nothing was removed.')]);
    const yes = await world.run('connector remove demo', { answers: [['Remove demo?', '\r']] });
    expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining('its settings are kept')]);
  });
});
