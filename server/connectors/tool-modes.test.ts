import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { failingDatabase } from '../store/testing/failing-database.ts';
import { openInstaller, packageFiles, wireInstaller } from './testing/installer.ts';
import { claimsOf } from './tool-claims.ts';
import { createToolModes, type Modes } from './tool-modes.ts';

const desk = (version = '1.0.0', more = ''): string => `id: desk
name: Desk
version: "${version}"
description: Tools of every kind, for tests of modes.
tools:
  get: { protocol: http, description: Get., request: { url: "https://a.test" } }
  post: { protocol: http, description: Post., request: { method: POST, url: "https://a.test" } }
  look: { protocol: shell, description: Look., command: [ls], read_only: true }
  wipe: { protocol: shell, description: Wipe., command: [rm, x], destructive: true }
${more}`;

async function world(yaml = desk(), modes: Modes = {}) {
  const opened = await openInstaller();
  const install = (text: string, chosen: Modes = {}) =>
    opened.installer.install(packageFiles(text), { kind: 'yaml' }, { modes: chosen });
  install(yaml, modes);
  const of = (id: string) => {
    // Calls of one turn of the event loop share a look at the files; each of these is to have its own.
    opened.catalog.list();
    const entry = opened.catalog.tool(id);
    return entry === null ? null : opened.toolModes.of(entry);
  };
  return { ...opened, install, of };
}

describe('K-64 what applies to a tool', () => {
  it('is On unless it is destructive, and what a person chose after that', async () => {
    const { of, toolModes } = await world();
    const all = () => ['get', 'post', 'look', 'wipe'].map((name) => of(`desk.${name}`));
    expect(all()).toEqual([
      { mode: 'on', onlyReads: true },
      { mode: 'on', onlyReads: false },
      { mode: 'on', onlyReads: true },
      { mode: 'ask', onlyReads: false },
    ]);
    const before = toolModes.versionOf('desk');
    toolModes.setModes('desk', { 'desk.get': 'never', 'desk.post': 'ask', 'desk.wipe': 'never' });
    expect(all().map((terms) => terms?.mode)).toEqual(['never', 'ask', 'on', 'never']);
    expect(toolModes.versionOf('desk')).not.toBe(before);
    toolModes.setModes('desk', { 'desk.get': 'on' });
    expect(all().map((terms) => terms?.mode)).toEqual(['on', 'ask', 'on', 'never']);
  });

  it('is never less careful than the manifest: On means Ask once an update makes a tool destructive', async () => {
    const { install, of } = await world(desk(), { 'desk.post': 'on' });
    install(desk('1.1.0').replace('description: Post.', 'description: Post., destructive: true'));
    expect(of('desk.post')?.mode).toBe('ask');
  });

  it('outlives an update and a start, and the tool being away in between', async () => {
    const { db, folder, install, of } = await world(desk(), { 'desk.post': 'never' });
    install(desk('1.1.0').replace('  post:', '  posted:'));
    expect([of('desk.post'), of('desk.posted')?.mode]).toEqual([null, 'on']);
    install(desk('1.2.0'));
    expect(of('desk.post')?.mode).toBe('never');
    const next = wireInstaller(db, folder);
    expect(next.toolModes.of(next.catalog.tool('desk.post')!).mode).toBe('never');
  });

  it('is forgotten with the connector, whatever becomes of its settings', async () => {
    const { installer, install, of } = await world(desk(), { 'desk.post': 'never' });
    installer.remove('desk', false);
    install(desk());
    expect(of('desk.post')?.mode).toBe('on');
  });

  it.each<[string, Modes, string]>([
    ['an unknown tool', { 'desk.pots': 'ask' }, 'desk has no tool "desk.pots"; did you mean desk.post?'],
    ['a name without its connector', { post: 'ask' }, 'desk has no tool "post"'],
    ['a destructive tool', { 'desk.wipe': 'on' }, 'desk.wipe is destructive, so it cannot be set to on'],
  ])('refuses a mode for %s, and installs nothing with it', async (_title, modes, message) => {
    const { catalog, install, of } = await world();
    expect(() => install(desk('2.0.0'), { 'desk.get': 'never', ...modes })).toThrow(
      expect.objectContaining({ code: 'invalid_request', message }),
    );
    expect([catalog.getPackage('desk').version, of('desk.get')?.mode]).toEqual(['1.0.0', 'on']);
  });

  it('is chosen together with the installation: a crash at any statement leaves both or neither', async () => {
    for (let failAt = 1; ; failAt += 1) {
      const { db, folder, catalog } = await world();
      const failing = failingDatabase(db, failAt);
      const broken = wireInstaller(failing.db, folder);
      let hasFailed = false;
      try {
        broken.installer.install(packageFiles(desk('2.0.0')), { kind: 'yaml' }, { modes: { 'desk.post': 'never' } });
      } catch {
        hasFailed = true;
      }
      const next = wireInstaller(db, folder);
      next.installer.recover();
      const mode = createToolModes(db).of(next.catalog.tool('desk.post')!).mode;
      expect([failAt, mode]).toEqual([failAt, catalog.getPackage('desk').version === '2.0.0' ? 'never' : 'on']);
      if (!hasFailed) break;
    }
  });
});

describe('K-64 a manifest’s word that a tool only reads', () => {
  it('counts once it was installed, and no longer when somebody has edited the tool', async () => {
    const { folder, of, toolModes, catalog } = await world();
    const file = path.join(folder, 'desk/manifest.yaml');
    writeFileSync(file, desk().replace('command: [ls]', 'command: [rm, -r, x]'));
    expect(of('desk.look')?.onlyReads).toBe(false);
    expect(toolModes.hasNewClaims(catalog.getPackage('desk'))).toBe(true);
    toolModes.accept('desk', { modes: {}, claims: claimsOf(catalog.getPackage('desk')) });
    expect(of('desk.look')?.onlyReads).toBe(true);
    writeFileSync(
      file,
      desk('1.0.0', '  more: { protocol: shell, description: More., command: [ls], read_only: true }\n'),
    );
    expect([of('desk.look')?.onlyReads, of('desk.more')?.onlyReads]).toEqual([false, false]);
  });

  it('does not count in a folder that somebody put there', async () => {
    const { folder, catalog, toolModes } = await openInstaller();
    const { mkdirSync } = await import('node:fs');
    mkdirSync(path.join(folder, 'desk'));
    writeFileSync(path.join(folder, 'desk/manifest.yaml'), desk());
    const terms = (id: string) => toolModes.of(catalog.tool(id)!);
    expect([terms('desk.get'), terms('desk.look')]).toEqual([
      { mode: 'on', onlyReads: true },
      { mode: 'on', onlyReads: false },
    ]);
  });
});
