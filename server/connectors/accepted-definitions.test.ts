import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest } from '../testing/forge.ts';
import { createAcceptedDefinitions } from './accepted-definitions.ts';
import { openInstaller, packageFiles } from './testing/installer.ts';

const TOOL = 'demo.get_item';

async function world() {
  const opened = await openInstaller();
  opened.installer.install(packageFiles(manifest()), { kind: 'yaml' });
  const file = path.join(opened.folder, 'demo', 'manifest.yaml');
  const edit = (from: string, to: string): void => writeFileSync(file, manifest().replace(from, to));
  // Calls of one turn of the event loop share one look at the files; `get` looks again.
  const tool = () => {
    opened.catalog.get('demo');
    return opened.catalog.tool(TOOL)!;
  };
  return { ...opened, edit, tool, restarted: (build: string) => createAcceptedDefinitions(opened.db, build) };
}

describe('S2 what was accepted', () => {
  it('is what was installed, from the moment it is', async () => {
    const { accepted, catalog, edit, tool } = await world();
    expect(accepted.isNews(catalog.get('demo'))).toBe(false);
    expect(accepted.changeOf(tool())).toBeNull();
    edit('method: GET', 'method: DELETE');
    expect(accepted.changeOf(tool())).toEqual({ asks: true });
    edit('Get one item.', 'Get an item.');
    expect(accepted.changeOf(tool())).toEqual({ asks: false });
    edit('# nothing', '# nothing');
    expect(accepted.changeOf(tool())).toBeNull();
  });

  it('S13 is compared in several turns of the event loop, with the same outcome', async () => {
    const { accepted, catalog, edit } = await world();
    const current = catalog.get('demo');
    edit('method: GET', 'method: DELETE');
    const next = catalog.getPackage('demo');
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await accepted.prepareDiff(current, next);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(accepted.diff(current, next)).toMatchObject({ changed: true, asks: true });
  });

  it('goes with the connector', async () => {
    const { accepted, installer } = await world();
    installer.remove('demo', true);
    expect(accepted.has('demo')).toBe(false);
  });

  it('is not what lies in the folder without anybody having installed it', async () => {
    const { accepted, catalog, db, restarted, tool } = await world();
    db.exec('DELETE FROM accepted_definitions');
    expect(restarted('test').changeOf(tool())).toEqual({ asks: true });
    accepted.accept(catalog.get('demo'));
    expect(accepted.changeOf(tool())).toBeNull();
  });

  it('stays accepted when another Forge reads more out of the same files, and only then', async () => {
    const { catalog, db, edit, restarted, tool } = await world();
    const older = `UPDATE accepted_definitions SET definition = json_remove(definition, '$.connectors[0].verify_tls')`;
    db.exec(older);
    // The same build has read the same files differently: somebody else has written that row.
    expect(restarted('test').changeOf(tool())).toEqual({ asks: true });
    expect(restarted('next').changeOf(tool())).toBeNull();
    expect(restarted('next').isNews(catalog.get('demo'))).toBe(false);
    edit('method: GET', 'method: DELETE');
    expect(restarted('later').changeOf(tool())).toEqual({ asks: true });
  });

  it('is what was installed before definitions were kept, unless it has been edited since', async () => {
    const { db, edit, restarted, tool } = await world();
    const before = "UPDATE accepted_definitions SET definition = NULL, build = ''";
    db.exec(before);
    expect(restarted('test').changeOf(tool())).toBeNull();
    db.exec(before);
    edit('method: GET', 'method: DELETE');
    expect(restarted('test').changeOf(tool())).toEqual({ asks: true });
  });

  it('is accepted after a question only if it is what was asked about', async () => {
    const { accepted, catalog, edit, tool } = await world();
    edit('method: GET', 'method: DELETE');
    expect(() => accepted.acceptAsked(catalog.get('demo'), 'another')).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
    expect(accepted.changeOf(tool())).toEqual({ asks: true });
  });
});
