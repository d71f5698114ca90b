import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { failingFileOps } from '../store/testing/failing-file-ops.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createFileStore } from './files.ts';
import { safeFilename } from './safe-filename.ts';

describe('safe file names', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['Grüße 😀.txt', 'Grüße 😀.txt'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/etc/', 'file'],
    ['.bashrc', 'bashrc'],
    ['..', 'file'],
    ['', 'file'],
    ['a:b*c?.txt', 'a_b_c_.txt'],
    ['a\0b\nc.txt', 'a_b_c.txt'],
    ['invoice\u202efdp.exe', 'invoice_fdp.exe'],
    ['name. . ', 'name'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['console.log', 'console.log'],
    ['\ud800x', '\ufffdx'],
  ])('W-15 %j becomes %j', (name, safe) => {
    expect(safeFilename(name)).toBe(safe);
  });

  it.each([
    [`${'a'.repeat(400)}.pdf`, '.pdf'],
    [`${'😀'.repeat(400)}.pdf`, '.pdf'],
    ['ä'.repeat(100_000), 'ä'],
  ])('W-15 shortens a long name and keeps its ending', (name, ending) => {
    const safe = safeFilename(name);
    expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(150);
    expect(Buffer.byteLength(safe)).toBeGreaterThan(140);
    expect(safe.endsWith(ending)).toBe(true);
    expect(safe).not.toContain('\ufffd');
  });
});

describe('the file store', () => {
  it('W-15 saves a file where only its owner can read it, and says where', () => {
    const folder = tempDir();
    const entry = createFileStore(folder).save({
      filename: '../a b.csv',
      bytes: Buffer.from('1;2'),
      contentType: 'Text/CSV; charset=utf-8',
    });
    const id = /^\/api\/files\/([0-9a-f]{24})$/.exec(entry.file_url)?.[1] ?? '';
    expect(entry).toEqual({
      filename: 'a b.csv',
      path: path.join(folder, id, 'a b.csv'),
      file_url: `/api/files/${id}`,
      size_bytes: 3,
      content_type: 'text/csv',
    });
    expect(readFileSync(entry.path, 'utf8')).toBe('1;2');
    expect(statSync(entry.path).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(entry.path)).mode & 0o777).toBe(0o700);
    expect(createFileStore(folder).find(id)).toEqual(entry);
  });

  it('W-15 keeps files of the same name apart', () => {
    const store = createFileStore(tempDir());
    const file = { filename: 'x.txt', bytes: Buffer.from('x'), contentType: 'text/plain' };
    expect(store.save(file).path).not.toBe(store.save(file).path);
  });

  it('W-15 keeps no type that could not stand in a header', () => {
    const store = createFileStore(tempDir());
    const save = (contentType: string): string =>
      store.save({ filename: 'x', bytes: Buffer.from('x'), contentType }).content_type;
    expect(save('text/html\r\nx: y')).toBe('application/octet-stream');
    expect(save('')).toBe('application/octet-stream');
  });

  it.each(['', '..', '../../etc', 'f'.repeat(24), 'F'.repeat(24), 'a/b'])('finds nothing for the id %j', (id) => {
    expect(createFileStore(tempDir()).find(id)).toBeNull();
  });

  it('W-15 says when the disk is full, and leaves nothing behind', () => {
    const folder = tempDir();
    const { ops } = failingFileOps(3, 'ENOSPC', 'once');
    const save = (): unknown =>
      createFileStore(folder, { ops }).save({ filename: 'x', bytes: Buffer.from('x'), contentType: 'text/plain' });
    expect(save).toThrow(expect.objectContaining({ code: 'disk_write_failed' }));
    expect(readdirSync(folder)).toEqual([]);
  });
});
