import { expect, it } from 'vitest';
import { readZip } from '../connectors/read-zip.ts';
import { packZip } from './pack-zip.ts';

it('packs files that the reader of zips takes out unchanged, whatever is in them', async () => {
  const files = new Map<string, Uint8Array>([
    ['manifest.yaml', Buffer.from('id: ä\n')],
    ['README.md', new Uint8Array(0)],
    ['tools/list.js', Uint8Array.from({ length: 100_000 }, (_, index) => index % 251)],
  ]);
  const { files: read, ignored } = await readZip(packZip(files));
  expect(ignored).toEqual([]);
  expect([...read].map(([name, bytes]) => [name, Buffer.from(bytes)])).toEqual(
    [...files].map(([name, bytes]) => [name, Buffer.from(bytes)]),
  );
});

it('makes the same zip from the same files', () => {
  const files = new Map([['manifest.yaml', Buffer.from('id: demo\n')]]);
  expect(packZip(files)).toEqual(packZip(files));
});

it('writes the checksum that other programs check', () => {
  const zip = Buffer.from(packZip(new Map([['manifest.yaml', Buffer.from('id: demo\n')]])));
  expect(zip.readUInt32LE(14)).toBe(0x6b226283);
});
