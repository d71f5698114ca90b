import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder, testForge } from '../testing/forge.ts';

it('W-15 files older than they may be are gone soon after a start', async () => {
  const dataDir = path.join(tempFolder(), 'data');
  const save = (id: string, days: number) => {
    const file = path.join(dataDir, 'files', id, 'a.txt');
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, 'text');
    const at = Date.now() / 1000 - days * 86_400;
    utimesSync(file, at, at);
  };
  mkdirSync(dataDir, { mode: 0o700 });
  save('a'.repeat(24), 3);
  save('b'.repeat(24), 1);
  const forge = await testForge({ FORGE_DATA_DIR: dataDir, FORGE_FILE_DAYS: '2' });
  await expect.poll(() => forge.logLines.join('')).toContain('old files were removed');
  expect(existsSync(path.join(dataDir, 'files', 'a'.repeat(24)))).toBe(false);
  expect((await forge.request('GET', `/api/files/${'a'.repeat(24)}`)).body.error).toMatchObject({
    code: 'not_found',
    hint: 'Files are kept for a limited time.',
  });
  expect((await forge.request('GET', `/api/files/${'b'.repeat(24)}`)).text).toBe('text');
});
