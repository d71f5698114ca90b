import { expect, it } from 'vitest';
import { registryFiles } from '../server/connectors/registry-files.ts';
import { Registry } from '../server/connectors/registry.ts';
import { MIGRATIONS } from '../server/store/migrations.ts';
import { openSqlite } from '../server/store/sqlite.ts';
import { cliWorld } from '../server/cli/testing/cli-world.ts';
import { manifest } from '../server/testing/forge.ts';
import { readOffers, registryText } from './registry-text.ts';

function folderOf(...manifests: [folder: string, yaml: string][]) {
  const world = cliWorld();
  for (const [name, yaml] of manifests) world.write(`registry/${name}/manifest.yaml`, yaml);
  return world;
}

it('W-20 makes a registry that Forge reads, sorted by id', async () => {
  const world = folderOf(['zeta', manifest('', 'zeta', '2.0.0')], ['alpha', manifest('', 'alpha')]);
  world.write('registry/notes/README.md', 'no connector');
  const offers = readOffers(world.registry);
  expect(offers).toMatchObject([
    { id: 'alpha' },
    { id: 'zeta', name: 'Demo', version: '2.0.0', min_forge_version: null },
  ]);
  world.write('registry/registry.json', registryText(offers, null, '2026-01-02'));
  const db = await openSqlite(':memory:');
  for (const step of MIGRATIONS) db.exec(step);
  const view = await new Registry(db, registryFiles(world.registry)).list();
  expect(view).toMatchObject({ problem: null, connectors: offers });
});

it('keeps its date until a connector changes', () => {
  const { registry } = folderOf(['alpha', manifest('', 'alpha')]);
  const offers = readOffers(registry);
  const first = registryText(offers, null, '2026-01-02');
  expect(registryText(offers, first, '2027-03-04')).toBe(first);
  const changed = registryText([{ ...offers[0]!, version: '9.0.0' }], first, '2027-03-04');
  expect(JSON.parse(changed)).toMatchObject({
    version: 1,
    updated_at: '2027-03-04',
    connectors: [{ version: '9.0.0' }],
  });
});

it.each([
  ['a manifest that is not valid', 'alpha', 'id: alpha\n', 'the manifest is not valid'],
  ['a manifest in the wrong folder', 'beta', manifest('', 'alpha'), "the manifest's id is alpha"],
])('refuses %s, and names the folder', (_title, name, yaml, message) => {
  const { registry } = folderOf([name, yaml]);
  expect(() => readOffers(registry)).toThrow(message);
  expect(() => readOffers(registry)).toThrow(`registry/${name}`);
});
