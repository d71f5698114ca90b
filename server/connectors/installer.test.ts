import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isForgeError } from '../../shared/errors.ts';
import { failingDatabase } from '../store/testing/failing-database.ts';
import { failingFileOps } from '../store/testing/failing-file-ops.ts';
import { manifest, tempFolder } from '../testing/forge.ts';
import { contentHash } from './package-files.ts';
import { openInstaller as open, packageFiles as files, wireInstaller as wire } from './testing/installer.ts';

describe('installing', () => {
  it('C-114 C-115 puts the manifest where a person can edit it, and says where', async () => {
    const { installer, folder, catalog } = await open();
    const outcome = installer.install(files(manifest()), { kind: 'yaml' });
    expect(outcome).toMatchObject({
      id: 'demo',
      version: '0.1.0',
      path: path.join(folder, 'demo', 'manifest.yaml'),
      previous_version: null,
      warnings: [],
    });
    expect(readFileSync(outcome.path, 'utf8')).toBe(manifest());
    expect(catalog.get('demo')).toMatchObject({ edited: false, sha256: outcome.sha256 });
  });

  it('records where it came from and the hash of what was installed', async () => {
    const { installer, installations } = await open();
    installer.install(files(manifest()), { kind: 'registry', location: 'https://r.test/' });
    expect(installations.get('demo')).toEqual({
      version: '0.1.0',
      source: { kind: 'registry', location: 'https://r.test/' },
      sha256: contentHash(files(manifest())),
      enabled: true,
      installed_at: '2026-01-02T03:04:05.000Z',
      updated_at: '2026-01-02T03:04:05.000Z',
    });
  });

  it('replaces every file, so that nothing of the old version stays', async () => {
    const { installer, folder } = await open();
    installer.install(files(manifest(), { 'README.md': 'old', 'tools/x.js': 'return 1' }), { kind: 'zip' });
    const outcome = installer.install(files(manifest('', 'demo', '0.2.0')), { kind: 'zip' });
    expect(outcome).toMatchObject({ version: '0.2.0', previous_version: '0.1.0' });
    expect(readdirSync(path.join(folder, 'demo'))).toEqual(['manifest.yaml']);
    expect(readdirSync(folder)).toEqual(['demo']);
  });

  it('C-115 keeps the script files beside a manifest that is installed alone', async () => {
    const { installer, folder } = await open();
    const yaml =
      'id: demo\nname: Demo\nversion: "1.0.0"\nhost_match: https://a.test/*\nlogin_redirect: /login\ntools: { list: { description: d } }\n';
    mkdirSync(path.join(folder, 'demo/tools'), { recursive: true });
    writeFileSync(path.join(folder, 'demo/manifest.yaml'), yaml);
    writeFileSync(path.join(folder, 'demo/tools/list.js'), 'return 1');
    installer.install(installer.filesWith(Buffer.from(yaml)), { kind: 'yaml' });
    expect(readFileSync(path.join(folder, 'demo/tools/list.js'), 'utf8')).toBe('return 1');
  });

  it('K-03 C-17 refuses a connector that needs a newer Forge', async () => {
    const { installer } = await open();
    const yaml = `min_forge_version: "1.0.1"\n${manifest()}`;
    expect(() => installer.install(files(yaml), { kind: 'yaml' })).toThrow(
      expect.objectContaining({ code: 'forge_too_old' }),
    );
  });

  it('K-01 refuses a bundle whose part is installed already', async () => {
    const { installer } = await open();
    installer.install(files(manifest()), { kind: 'yaml' });
    const bundle =
      'id: suite\nname: Suite\nversion: "1.0.0"\nconnectors: [{ id: demo, name: D, tools: { t: { protocol: shell, command: [ls] } } }]\n';
    expect(() => installer.install(files(bundle), { kind: 'yaml' })).toThrow(
      /demo already provides a connector called demo/,
    );
  });

  it('an id cannot change by editing', async () => {
    const { installer } = await open();
    installer.install(files(manifest()), { kind: 'yaml' });
    expect(() => installer.filesWith(Buffer.from(manifest('', 'other')), 'demo')).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
  });

  it('removes, with or without the settings', async () => {
    const { installer, folder, removed, catalog } = await open();
    installer.install(files(manifest()), { kind: 'yaml' });
    installer.remove('demo', false);
    expect(removed).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    installer.install(files(manifest()), { kind: 'yaml' });
    installer.remove('demo', true);
    expect(removed).toEqual(['demo']);
    expect(() => catalog.get('demo')).toThrow(expect.objectContaining({ code: 'connector_not_found' }));
  });
});

describe('the catalogue', () => {
  it('C-114 finds a manifest that was dropped in', async () => {
    const { folder, catalog } = await open();
    mkdirSync(path.join(folder, 'demo'));
    writeFileSync(path.join(folder, 'demo/manifest.yaml'), manifest());
    expect(catalog.list()).toMatchObject([{ id: 'demo', installation: null, package: { name: 'Demo' } }]);
    expect(catalog.tools().map(({ tool }) => tool.name)).toEqual(['get_item']);
  });

  it('C-120 uses an edited manifest from the next look on', async () => {
    const { installer, folder, catalog } = await open();
    installer.install(files(manifest()), { kind: 'yaml' });
    expect(catalog.get('demo').package?.version).toBe('0.1.0');
    writeFileSync(path.join(folder, 'demo/manifest.yaml'), manifest('', 'demo', '0.1.1'));
    expect(catalog.get('demo')).toMatchObject({ edited: true, package: { version: '0.1.1' } });
  });

  it('C-120 K-12 uses an edited script file from the next look on', async () => {
    const { installer, folder, catalog } = await open();
    const yaml = 'id: demo\nname: Demo\nversion: "1.0.0"\ntools: { list: {} }\n';
    installer.install(files(yaml, { 'tools/list.js': 'return 1' }), { kind: 'zip' });
    expect(catalog.get('demo').package?.connectors[0]?.tools['list']).toMatchObject({ script: 'return 1' });
    writeFileSync(path.join(folder, 'demo/tools/list.js'), 'return 2');
    expect(catalog.get('demo').package?.connectors[0]?.tools['list']).toMatchObject({ script: 'return 2' });
  });

  it('keeps a broken connector apart from the others', async () => {
    const { installer, folder, catalog } = await open();
    installer.install(files(manifest()), { kind: 'yaml' });
    for (const [name, text] of [
      ['bad', 'id: [\n'],
      ['other-name', manifest('', 'named-so')],
      ['empty', ''],
    ] as const) {
      mkdirSync(path.join(folder, name));
      writeFileSync(path.join(folder, name, 'manifest.yaml'), text);
    }
    mkdirSync(path.join(folder, 'UPPER'));
    writeFileSync(path.join(folder, 'UPPER/manifest.yaml'), manifest());
    expect(catalog.list().map(({ id, package: pack }) => [id, pack !== null])).toEqual([
      ['bad', false],
      ['demo', true],
      ['empty', false],
      ['other-name', false],
    ]);
    expect(() => catalog.getPackage('other-name')).toThrow(
      /the folder is called other-name, but the manifest's id is named-so/,
    );
  });

  it('K-01 gives a clashing connector to the package that is called so', async () => {
    const { folder, catalog } = await open();
    const bundle =
      'id: a-suite\nname: Suite\nversion: "1.0.0"\nconnectors: [{ id: demo, name: D, tools: { t: { protocol: shell, command: [ls] } } }]\n';
    for (const [name, text] of [
      ['a-suite', bundle],
      ['demo', manifest()],
    ] as const) {
      mkdirSync(path.join(folder, name));
      writeFileSync(path.join(folder, name, 'manifest.yaml'), text);
    }
    expect(catalog.list().map(({ id, package: pack }) => [id, pack !== null])).toEqual([
      ['a-suite', false],
      ['demo', true],
    ]);
  });

  it('keeps parsed manifests by content', async () => {
    const { installer, db, folder } = await open();
    installer.install(files(manifest()), { kind: 'yaml' });
    wire(db, folder).catalog.list();
    const kept = db.prepare('SELECT sha256 FROM parsed_manifests').all();
    expect(kept.map((row) => row['sha256'])).toEqual([contentHash(files(manifest()))]);
  });

  it('switches a connector off and on', async () => {
    const { installer, catalog } = await open();
    installer.install(files(manifest()), { kind: 'yaml' });
    installer.setEnabled('demo', false);
    expect(catalog.tools()).toEqual([]);
    installer.install(files(manifest('', 'demo', '0.2.0')), { kind: 'yaml' });
    expect(catalog.tools()).toEqual([]);
    installer.setEnabled('demo', true);
    expect(catalog.tools()).toHaveLength(1);
  });
});

describe('a disk that fails', () => {
  const old = manifest('', 'demo', '0.1.0');
  const next = manifest('', 'demo', '0.2.0');

  /** Runs one change with the nth file operation failing, for every n, until it runs without a failure. */
  async function failEach(code: string, duration: 'once' | 'onwards', change: 'replace' | 'first' | 'remove') {
    for (let failAt = 1; failAt < 200; failAt += 1) {
      const root = tempFolder();
      const { folder, db, parts, installer } = await open(root);
      if (change !== 'first') installer.install(files(old, { 'README.md': 'old' }), { kind: 'zip' });
      const failure = failingFileOps(failAt, code, duration);
      const failing = parts(failure.ops);
      let failed = false;
      try {
        if (change === 'remove') failing.installer.remove('demo', false);
        else failing.installer.install(files(next), { kind: 'zip' });
      } catch (error) {
        failed = true;
        expect(isForgeError(error, 'disk_write_failed')).toBe(true);
      }
      // The next start.
      const { installer: recovered, catalog, installations } = parts();
      recovered.recover();
      const found = catalog.find('demo');
      const version = found?.package?.version ?? null;
      const allowed =
        change === 'replace' ? ['0.1.0', '0.2.0'] : change === 'first' ? [null, '0.2.0'] : ['0.1.0', null];
      expect(allowed).toContain(version);
      expect(installations.get('demo')?.version ?? null).toBe(version);
      expect(found?.edited ?? false).toBe(false);
      expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
      expect(db.prepare('SELECT count(*) AS n FROM pending_changes').get()?.['n']).toBe(0);
      db.close();
      rmSync(root, { recursive: true, force: true });
      if (!failed && failure.count() < failAt) return failAt;
    }
    throw new Error('the change never succeeded');
  }

  const table: [change: 'replace' | 'first' | 'remove', code: string, duration: 'once' | 'onwards'][] = (
    ['replace', 'first', 'remove'] as const
  ).flatMap((change) =>
    (['ENOSPC', 'EIO'] as const).flatMap((code) =>
      (['once', 'onwards'] as const).map((duration): [typeof change, string, typeof duration] => [
        change,
        code,
        duration,
      ]),
    ),
  );
  it.each(table)(
    '%s, every operation failing with %s (%s): the old state or the new one, never neither',
    async (change, code, duration) => {
      expect(await failEach(code, duration, change)).toBeGreaterThan(3);
    },
  );

  it.each(['replace', 'first', 'remove'] as const)(
    '%s, every statement of the database failing: the old state or the new one, never neither',
    async (change) => {
      for (let failAt = 1; ; failAt += 1) {
        const root = tempFolder();
        const { folder, db, parts, installer } = await open(root);
        if (change !== 'first') installer.install(files(old), { kind: 'zip' });
        const failure = failingDatabase(db, failAt);
        let failed = false;
        try {
          const failing = wire(failure.db, folder);
          if (change === 'remove') failing.installer.remove('demo', false);
          else failing.installer.install(files(next), { kind: 'zip' });
        } catch {
          failed = true;
        }
        const { installer: recovered, catalog, installations } = parts();
        recovered.recover();
        const version = catalog.find('demo')?.package?.version ?? null;
        expect(
          change === 'replace' ? ['0.1.0', '0.2.0'] : change === 'first' ? [null, '0.2.0'] : ['0.1.0', null],
        ).toContain(version);
        expect(installations.get('demo')?.version ?? null).toBe(version);
        db.close();
        if (!failed && failure.count() < failAt) break;
      }
    },
  );

  it('says that the disk is full and leaves the old version in use', async () => {
    const { parts, installer, catalog } = await open();
    installer.install(files(old), { kind: 'zip' });
    const full = parts(failingFileOps(1, 'ENOSPC', 'onwards').ops);
    expect(() => full.installer.install(files(next), { kind: 'zip' })).toThrow(/disk is full/);
    expect(catalog.get('demo').package?.version).toBe('0.1.0');
    expect(existsSync(catalog.get('demo').folder)).toBe(true);
  });
});
