import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundled } from '../testing/bundled.ts';
import { openDatabase } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { Catalog } from './catalog.ts';
import { createInstallations } from './installation.ts';
import { createPackageLints } from './package-lints.ts';
import { createParsedManifests } from './parsed-manifests.ts';

let script: URL;
beforeAll(async () => {
  script = await bundled('server/connectors/lint-thread.ts');
});
afterAll(() => rmSync(script, { force: true }));

/** A manifest with a script of so many lines. */
function files(lines: number, last = 'return 1;'): Map<string, Uint8Array> {
  const code = Array.from({ length: lines }, (_, n) => `const a${n} = [${n}].map((v) => v + ${n});`).join('\n      ');
  const yaml = `id: long\nname: Long\nversion: "1.0.0"\ndescription: A connector with a long script.\nhost_match: https://x.test/*\ntools:\n  run:\n    description: Runs for long.\n    script: |\n      ${code}\n      ${last}\n`;
  return new Map([['manifest.yaml', Buffer.from(yaml)]]);
}

function lints(given: { script?: URL } = { script }) {
  const made = createPackageLints({ forgeVersion: '1.0.0', ...given });
  onTestFinished(() => made.close());
  return made;
}

/** How many turns the event loop makes while something is waited for. */
async function turnsWhile(work: Promise<unknown> | null): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  isOver = true;
  return turns;
}

describe('S13 a long script', () => {
  it.each([
    ['sound', 2000, 'return 1;'],
    ['broken at its end', 2000, 'return (;'],
    ['short', 3, 'return 1;'],
  ])('%s: has the same report in the thread as here', async (_, count, last) => {
    const package_ = files(count, last);
    const made = lints();
    expect(await made.prepared(package_)).toBe(package_);
    const report = made.lint(package_);
    expect(report).toEqual(lints({}).lint(package_));
    expect(report.package === null).toBe(last !== 'return 1;');
  });

  it('leaves the event loop free, and what is prepared is not linted again', async () => {
    const made = lints();
    const package_ = files(2000);
    expect(await turnsWhile(made.prepared(package_))).toBeGreaterThan(10);
    expect(made.lint(package_)).toBe(made.lint(package_));
  });

  it('that was edited on disk is read by the thread before a call looks for its tool', async () => {
    const folder = tempDir();
    const db = await openDatabase(path.join(folder, 'forge.db'));
    onTestFinished(() => db.close());
    const made = lints();
    const parsed = createParsedManifests(db, { parser: 'test', key: Buffer.alloc(32, 7) });
    const catalog = new Catalog({ folder, installations: createInstallations(db), parsed, lints: made });
    const write = (edited: Map<string, Uint8Array>): void => {
      mkdirSync(path.join(folder, 'long'), { recursive: true });
      writeFileSync(path.join(folder, 'long', 'manifest.yaml'), edited.get('manifest.yaml') ?? '');
    };
    for (const last of ['return 1;', 'return 2;']) {
      const edited = files(2000, last);
      write(edited);
      const turns = await turnsWhile(catalog.reading('long.run'));
      expect(turns).toBeGreaterThan(10);
      expect(catalog.tool('long.run')).toMatchObject({ tool: { script: expect.stringContaining(last) } });
      expect(catalog.reading('long.run')).toBeNull();
      // Calls of one turn share one look at the files.
      await nextTurn();
    }
    expect(catalog.reading('other.run')).toBeNull();
  });

  it('remembers a few only', async () => {
    const made = lints();
    const first = files(500, 'return 0;');
    await made.prepared(first);
    const known = made.lint(first);
    for (let n = 1; n <= 4; n += 1) await made.prepared(files(500, `return ${n};`));
    expect(made.lint(first)).not.toBe(known);
    expect(made.lint(first)).toEqual(known);
  });
});
