import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lintManifest, type LintReport } from '../../shared/manifest/lint.ts';
import { openDatabase } from '../store/database.ts';
import { manifest, tempFolder } from '../testing/forge.ts';
import { createParsedManifests } from './parsed-manifests.ts';

const KEY = Buffer.alloc(32, 1);

/** Reads the same manifest under a hash, and counts how often its YAML was needed. */
async function world() {
  const db = await openDatabase(path.join(tempFolder(), 'forge.db'));
  onTestFinished(() => db.close());
  let count = 0;
  const lint = (): LintReport => {
    count += 1;
    return lintManifest(manifest(), { forgeVersion: '1.0.0' });
  };
  const open = (options: { parser?: string; key?: Uint8Array } = {}) =>
    createParsedManifests(db, { parser: 'a', key: KEY, ...options });
  return { db, open, read: (parsed = open(), hash = 'aa') => parsed.read(hash, lint), linted: () => count };
}

describe('parsed manifests', () => {
  it('are read once for each content, over starts', async () => {
    const { open, read, linted } = await world();
    const first = read();
    expect(read(open())).toEqual(first);
    expect(linted()).toBe(1);
    read(open(), 'bb');
    expect(linted()).toBe(2);
  });

  it('are read afresh by another build, which forgets the old ones', async () => {
    const { db, open, read, linted } = await world();
    read();
    const next = open({ parser: 'b' });
    read(next);
    expect(linted()).toBe(2);
    next.prune();
    expect(db.prepare('SELECT parser FROM parsed_manifests').all()).toEqual([{ parser: 'b' }]);
  });
});

describe('S15 garbage in the cache is thrown away', () => {
  const hostile = JSON.stringify({
    diagnostics: [],
    package: { id: 'demo', name: 'Evil', connectors: [], settings: {} },
  });
  it.each([
    ['another package', `UPDATE parsed_manifests SET document = '${hostile}'`],
    ['half of it', 'UPDATE parsed_manifests SET document = substr(document, 1, 100)'],
    ['no JSON', "UPDATE parsed_manifests SET document = 'x'"],
    ['nothing', "UPDATE parsed_manifests SET document = ''"],
    ['another word in it', "UPDATE parsed_manifests SET document = replace(document, 'GET', 'PUT')"],
    ['no mark', "UPDATE parsed_manifests SET mac = ''"],
    ['another mark', "UPDATE parsed_manifests SET mac = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'"],
    ['what belongs to other files', "UPDATE parsed_manifests SET sha256 = 'aa' WHERE sha256 = 'bb'"],
    ['what another build made of them', "UPDATE parsed_manifests SET parser = 'a'"],
  ])('%s', async (title, sql) => {
    const { db, open, read, linted } = await world();
    const isForeign = title.startsWith('what');
    if (title.includes('build')) read(open({ parser: 'b' }));
    else if (isForeign) read(open(), 'bb');
    else read();
    db.exec(sql);
    const before = linted();
    expect(read(open()).package?.name).toBe('Demo');
    expect(linted()).toBe(before + 1);
    // What was read again is kept again.
    read(open());
    expect(linted()).toBe(before + 1);
  });

  it('what was written with another key', async () => {
    const { open, read, linted } = await world();
    read(open({ key: Buffer.alloc(32, 2) }));
    read(open());
    expect(linted()).toBe(2);
  });
});
