import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_INSTANCES } from '../settings/testing/no-instances.ts';
import { manifest } from '../testing/forge.ts';
import { summariseTool } from './overview.ts';
import { openInstaller, packageFiles } from './testing/installer.ts';
import { createToolList } from './tool-list.ts';

const bundle = `id: suite
name: Suite
version: "1.0.0"
settings: { instances: { type: instances, fields: { name: { required: true }, url: {} } } }
connectors:
  - { id: one, name: One, tools: { a: { protocol: shell, command: [ls] }, b: { protocol: shell, command: [ls] } } }
  - { id: two, name: Two, tools: { c: { protocol: shell, command: [ls] } } }
`;

async function filled() {
  const world = await openInstaller();
  for (const yaml of [manifest(), bundle]) world.installer.install(packageFiles(yaml), { kind: 'yaml' });
  const list = createToolList({ ...world, settings: NO_INSTANCES });
  const ids = () => (JSON.parse(list().json) as { tools: { id: string }[] }).tools.map(({ id }) => id);
  return { ...world, list, ids };
}

describe('the list of tools', () => {
  it('is the JSON of every tool in order, and of none that is broken', async () => {
    const { catalog, folder, installer, list, toolModes } = await filled();
    installer.install(packageFiles(manifest('', 'broken')), { kind: 'yaml' });
    writeFileSync(path.join(folder, 'broken/manifest.yaml'), 'id: [');
    expect(catalog.list().map(({ id }) => id)).toEqual(['broken', 'demo', 'suite']);
    expect(list().json).toBe(
      JSON.stringify({
        tools: catalog.tools().map((entry) => summariseTool(entry, { toolModes, settings: NO_INSTANCES })),
      }),
    );
  });

  it('stays the same text while nothing changes', async () => {
    const { list } = await filled();
    expect(list()).toBe(list());
  });

  it('C-120 follows an edit, a switch, an install and a removal at once, each with another tag', async () => {
    const { folder, installer, list, ids } = await filled();
    const all = ['demo.get_item', 'one.a', 'one.b', 'two.c'];
    const seen = [list().etag];
    const steps: [change: () => void, ids: string[]][] = [
      [
        () => writeFileSync(path.join(folder, 'demo/manifest.yaml'), manifest().replace('get_item', 'get_thing')),
        ['demo.get_thing', ...all.slice(1)],
      ],
      [() => installer.setEnabled('suite', false), ['demo.get_thing']],
      [
        () => installer.install(packageFiles(manifest('', 'a-first')), { kind: 'yaml' }),
        ['a-first.get_item', 'demo.get_thing'],
      ],
      [() => rmSync(path.join(folder, 'demo'), { recursive: true }), ['a-first.get_item']],
      [() => installer.remove('a-first', false), []],
    ];
    expect(ids()).toEqual(all);
    for (const [change, wanted] of steps) {
      change();
      expect(ids()).toEqual(wanted);
      seen.push(list().etag);
    }
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('has its old tag again when what it says is the same again', async () => {
    const { installer, list } = await filled();
    const { etag } = list();
    installer.setEnabled('suite', false);
    list();
    installer.setEnabled('suite', true);
    expect(list().etag).toBe(etag);
    installer.install(packageFiles(manifest('', 'demo', '0.9.0')), { kind: 'yaml' });
    expect(list().etag).toBe(etag);
  });
});
