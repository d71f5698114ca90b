import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { tempFolder } from '../testing/forge.ts';
import { createLoadModule, isInstalled, requireModule } from './optional-module.ts';

/** A folder with one package in it, as npm would leave it. */
function folderWith(name: string, source: string, exports: object = { '.': './index.mjs' }): string {
  const folder = tempFolder();
  const home = path.join(folder, 'node_modules', name);
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, 'package.json'), JSON.stringify({ name, exports }));
  writeFileSync(path.join(home, 'index.mjs'), source);
  return folder;
}

describe('K-24 a package that Forge does not bring along', () => {
  it('is found in the folder of runtimes, in whole or in part', async () => {
    const exports = { '.': './index.mjs', './part': { default: './index.mjs' } };
    const load = createLoadModule(folderWith('@forge-test/runtime', 'export const answer = 42;', exports));
    expect(await requireModule(load, '@forge-test/runtime')).toMatchObject({ answer: 42 });
    expect(await requireModule(load, '@forge-test/runtime/part')).toMatchObject({ answer: 42 });
    expect(await isInstalled(load, '@forge-test/runtime')).toBe(true);
  });

  it('is looked for where Forge itself is first', async () => {
    const load = createLoadModule(folderWith('ws', 'export const answer = 42;'));
    expect(await load('ws')).not.toHaveProperty('answer');
  });

  it('is not taken from a folder above, which may be somebody else’s', async () => {
    const above = folderWith('@forge-test/planted', 'export const answer = 42;');
    const load = createLoadModule(path.join(above, 'data', 'runtimes'));
    expect(await isInstalled(load, '@forge-test/planted')).toBe(false);
  });

  it('that is missing is told with the command that brings it', async () => {
    const folder = tempFolder();
    const load = createLoadModule(folder);
    expect(await isInstalled(load, '@forge-test/none/part')).toBe(false);
    await expect(requireModule(load, '@forge-test/none/part')).rejects.toMatchObject({
      code: 'runtime_offline',
      message: 'the package @forge-test/none/part is not installed',
      hint: `Run \`npm install --prefix "${folder}" @forge-test/none\` and start Forge again.`,
    });
  });

  it('is in the data dir, or where FORGE_RUNTIMES says', () => {
    expect(readConfig({ FORGE_DATA_DIR: '/d' }).runtimes).toBe(path.resolve('/d/runtimes'));
    expect(readConfig({ FORGE_RUNTIMES: '/r' }).runtimes).toBe(path.resolve('/r'));
  });
});
