import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUNDLED_REGISTRY } from '../../../config.ts';
import { manifest } from '../../../testing/forge.ts';
import { packZip } from '../../pack-zip.ts';
import { cliWorld } from '../../testing/cli-world.ts';

const SCRIPTED = `id: board
name: Board
version: "0.1.0"
description: A board in the browser that people work with all day.
host_match: https://board.example/*
login_redirect: /login
tools:
  list_cards:
    description: List the cards.
`;

describe('forge connector install', () => {
  it('C-119 installs a manifest, says where it is to be edited and what is still missing', async () => {
    const world = cliWorld();
    const { code, stdout } = await world.run(`connector install ${world.write('demo.yaml', manifest())}`);
    const place = path.join(world.dataDir, 'connectors', 'demo', 'manifest.yaml');
    expect(code).toBe(0);
    expect(readFileSync(place, 'utf8')).toBe(manifest());
    expect(stdout).toContain('installed demo 0.1.0');
    expect(stdout).toContain(`${place} (edit it there`);
    expect(stdout).toContain('It still needs Base URL:');
    expect(stdout).toContain('forge connector settings demo --set base_url=…');
  });

  it('shows what the connector can reach before it is installed', async () => {
    const world = cliWorld();
    const { stdout } = await world.run(`connector install ${world.write('demo.yaml', manifest())}`);
    const shown = stdout.slice(0, stdout.indexOf('installed'));
    expect(shown).toMatch(/hosts +\{base_url\}/);
    expect(shown).toMatch(/secrets +token/);
    expect(shown).toMatch(/tools +1 tool\n/);
  });

  it('installs a folder with its scripts, and the same as a zip', async () => {
    for (const kind of ['folder', 'manifest', 'zip'] as const) {
      const world = cliWorld();
      const folder = path.dirname(world.write('board/manifest.yaml', SCRIPTED));
      world.write('board/tools/list_cards.js', 'return [1];');
      const zip = packZip(new Map([['manifest.yaml', Buffer.from(SCRIPTED)], ['tools/list_cards.js', Buffer.from('return [1];')], ['notes.txt', Buffer.from('x')]])); // prettier-ignore
      const place = { folder, manifest: path.join(folder, 'manifest.yaml'), zip: world.write('board.zip', zip) }[kind];
      const { code, stdout, stderr } = await world.run(`connector install ${place}`);
      expect([kind, code, stderr.includes('notes.txt is not part of a connector')]).toEqual([kind, 0, kind === 'zip']);
      expect(stdout).toMatch(/scripts +1 script that run/);
      const installed = path.join(world.dataDir, 'connectors', 'board');
      expect(readFileSync(path.join(installed, 'tools', 'list_cards.js'), 'utf8')).toBe('return [1];');
      expect(existsSync(path.join(installed, 'notes.txt'))).toBe(false);
    }
  });

  it('leaves the installed scripts where they are when only a new manifest is given', async () => {
    const world = cliWorld();
    world.write('board/manifest.yaml', SCRIPTED);
    world.write('board/tools/list_cards.js', 'return [1];');
    await world.run(`connector install ${path.join(world.root, 'board')}`);
    const next = world.write('next.yaml', SCRIPTED.replace('0.1.0', '0.2.0').replace('board.example', 'other.example'));
    const { code, stdout, stderr } = await world.run(`connector install ${next}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('board 0.1.0 → 0.2.0');
    expect(stdout).toContain('+ works in tabs of https://other.example/*');
    expect(stdout).toContain('installed board 0.2.0 (was 0.1.0)');
  });

  it('refuses a broken manifest the way the linter shows it, and installs nothing', async () => {
    const world = cliWorld();
    const file = world.write('demo.yaml', manifest().replace('name: Demo', 'nme: Demo'));
    const { code, stderr } = await world.run(`connector install ${file}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`${file}:1:1 error the manifest needs \`name\``);
    expect(stderr).toContain('2 | nme: Demo');
    expect(existsSync(path.join(world.dataDir, 'connectors', 'demo'))).toBe(false);
  });

  it('shows the warnings of what was installed', async () => {
    const world = cliWorld();
    const file = world.write('demo.yaml', manifest().replace(/description: A connector.*/, 'description: Demo.'));
    const { code, stderr } = await world.run(`connector install ${file}`);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`${file}:4:14 warning the description should tell a stranger`),
    ]);
  });

  it('W-20 installs by id from the registry, and suggests the id that was meant', async () => {
    const world = cliWorld();
    world.offer(manifest('', 'github', '1.2.0'));
    const wrong = await world.run('connector install gihub');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Did you mean github?')]);
    const { code, stdout } = await world.run('connector install github');
    expect([code, stdout]).toEqual([0, expect.stringContaining('installed github 1.2.0')]);
    expect(stdout).toContain('github 1.2.0 will be able to reach');
  });

  it('shows what a connector that came with Forge can reach, without asking', async () => {
    const world = cliWorld({ FORGE_REGISTRY: BUNDLED_REGISTRY });
    const { code, stdout } = await world.run('connector install git', { answers: [] });
    expect(code).toBe(0);
    expect(stdout).toMatch(/git \d+\.\d+\.\d+ will be able to reach:\S*\n {2}commands +\S+ git /);
  });

  it('says that a file is not there instead of looking for it in the registry', async () => {
    const { code, stderr } = await cliWorld().run('connector install nowhere.yaml');
    expect([code, stderr]).toEqual([1, expect.stringContaining('nowhere.yaml cannot be read: there is no such file')]);
  });

  it('asks a person first: a no installs nothing, a yes does, --yes does not ask', async () => {
    const world = cliWorld();
    const file = world.write('demo.yaml', manifest());
    const no = await world.run(`connector install ${file}`, { answers: [['Install demo 0.1.0?', '\r']] });
    expect([no.code, no.stdout]).toEqual([3, expect.stringContaining('Nothing was installed.')]);
    expect(existsSync(path.join(world.dataDir, 'connectors', 'demo'))).toBe(false);
    const yes = await world.run(`connector install ${file}`, { answers: [['Install demo 0.1.0?', 'y']] });
    expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining('installed')]);
    const unasked = await world.run(`connector install ${file} --yes`, { answers: [] });
    expect([unasked.code, unasked.stdout.includes('Install demo')]).toEqual([0, false]);
  });
});
