import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import yauzl from 'yauzl';

const ROOT = path.resolve(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
const ZIPS = ['chrome', 'firefox'].map((browser) => path.join(ROOT, `dist/extension/forge-${version}-${browser}.zip`));

function namesIn(file: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    yauzl.open(file, (error, zip) => {
      if (error !== null) {
        reject(error);
        return;
      }
      const names: string[] = [];
      zip.on('entry', ({ fileName }: { fileName: string }) => names.push(fileName));
      zip.on('error', reject).on('end', () => resolve(names));
    });
  });
}

it('npm run zip packs the extension for both browsers', async () => {
  for (const file of ZIPS) rmSync(file, { force: true });
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'zip'], { cwd: ROOT, encoding: 'utf8' });
  expect(`${status} ${status === 0 ? '' : stdout + stderr}`).toBe('0 ');
  for (const file of ZIPS)
    expect(await namesIn(file)).toEqual(expect.arrayContaining(['manifest.json', 'background.js', 'popup.html']));
});
