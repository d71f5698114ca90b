import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { manifest } from '../testing/forge.ts';
import { openInstaller, packageFiles } from './testing/installer.ts';

const TOOL = 'demo.get_item';
const edited = manifest().replace('name: Demo', 'name: Omed');

async function filled() {
  const world = await openInstaller();
  world.installer.install(packageFiles(manifest()), { kind: 'yaml' });
  const file = path.join(world.folder, 'demo/manifest.yaml');
  /** The connector's name as a call finds it in a turn of its own. */
  const nameOf = async (id = TOOL): Promise<string | undefined> => {
    await nextTurn();
    return world.catalog.tool(id)?.connector.name;
  };
  return { ...world, file, nameOf };
}

describe('a tool that was found before', () => {
  it('is the same as long as nothing has changed', async () => {
    const { catalog, nameOf } = await filled();
    await nameOf();
    const first = catalog.tool(TOOL);
    await nextTurn();
    expect(catalog.tool(TOOL)).toBe(first);
  });

  it.each<[string, (file: string) => void]>([
    [
      'edited in place, with as many characters',
      (file) => {
        const before = statSync(file).ctimeMs;
        // The clock of the file system may stand still for some milliseconds.
        do writeFileSync(file, edited);
        while (statSync(file).ctimeMs === before);
      },
    ],
    [
      'replaced by another file with the same time',
      (file) => {
        writeFileSync(`${file}.new`, edited);
        utimesSync(`${file}.new`, 1, 1);
        renameSync(`${file}.new`, file);
      },
    ],
  ])('is another when its manifest was %s', async (_, change) => {
    const { file, nameOf } = await filled();
    expect([await nameOf(), await nameOf()]).toEqual(['Demo', 'Demo']);
    change(file);
    expect(await nameOf()).toBe('Omed');
  });

  it('is gone with its folder, with its name in the manifest, and back with them', async () => {
    const { file, folder, nameOf } = await filled();
    await nameOf();
    renameSync(path.join(folder, 'demo'), path.join(folder, 'other'));
    expect(await nameOf()).toBeUndefined();
    renameSync(path.join(folder, 'other'), path.join(folder, 'demo'));
    expect(await nameOf()).toBe('Demo');
    writeFileSync(file, manifest().replace('get_item', 'get_thing'));
    expect([await nameOf(), await nameOf('demo.get_thing')]).toEqual([undefined, 'Demo']);
    rmSync(path.dirname(file), { recursive: true });
    expect(await nameOf('demo.get_thing')).toBeUndefined();
  });

  it('says at once that its connector was switched off, and on again', async () => {
    const { catalog, installer, nameOf } = await filled();
    await nameOf();
    for (const enabled of [false, true]) {
      installer.setEnabled('demo', enabled);
      await nextTurn();
      expect(catalog.tool(TOOL)?.installed.installation?.enabled).toBe(enabled);
    }
  });

  it('follows its own script', async () => {
    const { catalog, folder } = await openInstaller();
    const place = path.join(folder, 'page');
    mkdirSync(path.join(place, 'tools'), { recursive: true });
    writeFileSync(
      path.join(place, 'manifest.yaml'),
      'id: page\nname: Page\nversion: "1.0.0"\nhost_match: https://a.test/*\nlogin_redirect: /login\ntools: { list: { description: d } }\n',
    );
    for (const script of ['return 1', 'return 22']) {
      writeFileSync(path.join(place, 'tools/list.js'), script);
      await nextTurn();
      expect(catalog.tool('page.list')?.tool).toMatchObject({ script });
    }
  });
});
