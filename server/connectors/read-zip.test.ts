import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { contentHash, isPackageFile } from './package-files.ts';
import { readZip } from './read-zip.ts';
import { rounds } from '../../shared/testing/rounds.ts';

async function zip(
  entries: Record<string, string | Buffer>,
  options: { mode?: number; compress?: boolean } = {},
): Promise<Buffer> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(entries)) file.addBuffer(Buffer.from(content), name, options);
  file.end();
  const chunks: Buffer[] = [];
  for await (const chunk of file.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Builds archives that a decent tool refuses to write. */
function rawZip(
  entries: {
    name: string;
    content?: Buffer;
    flags?: number;
    externalAttributes?: number;
    declaredSize?: number;
    crc?: number;
  }[],
): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const {
    name,
    content = Buffer.from('x'),
    flags = 0x800,
    externalAttributes = 0,
    declaredSize,
    crc,
  } of entries) {
    const data = deflateRawSync(content);
    const nameBytes = Buffer.from(name);
    const size = declaredSize ?? content.length;
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(flags, 6);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(crc ?? crc32(content), 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt32LE(size, 22);
    header.writeUInt16LE(nameBytes.length, 26);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(0x0314, 4);
    record.writeUInt16LE(20, 6);
    record.writeUInt16LE(flags, 8);
    record.writeUInt16LE(8, 10);
    record.writeUInt32LE(crc ?? crc32(content), 16);
    record.writeUInt32LE(data.length, 20);
    record.writeUInt32LE(size, 24);
    record.writeUInt16LE(nameBytes.length, 28);
    record.writeUInt32LE(externalAttributes >>> 0, 38);
    record.writeUInt32LE(offset, 42);
    locals.push(header, nameBytes, data);
    central.push(record, nameBytes);
    offset += 30 + nameBytes.length + data.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const link = (0o120777 << 16) >>> 0;

describe('C-117 K-12 a zip', () => {
  it('gives the manifest and the files beside it, and names what it leaves behind', async () => {
    const { files, ignored } = await readZip(
      await zip({
        'manifest.yaml': 'id: a',
        'README.md': '# A',
        'icon.svg': '<svg/>',
        'tools/list.js': 'return 1',
        LICENSE: 'MIT',
        'src/x.js': '',
      }),
    );
    expect([...files.keys()].sort()).toEqual(['README.md', 'icon.svg', 'manifest.yaml', 'tools/list.js']);
    expect(ignored).toEqual(['LICENSE', 'src/x.js']);
  });

  it('K-12 tells how to fix a folder around the manifest', async () => {
    const error = await readZip(await zip({ 'my-connector/manifest.yaml': 'id: a' })).catch(
      (problem: unknown) => problem,
    );
    expect(error).toMatchObject({
      code: 'invalid_package',
      message: expect.stringContaining('inside the folder "my-connector"'),
      hint: expect.stringContaining('cd my-connector && zip -r'),
    });
  });

  const manifest = { name: 'manifest.yaml', content: Buffer.from('id: a') };
  const table: [title: string, bytes: () => Buffer | Promise<Buffer>, wanted: RegExp][] = [
    ['no manifest', () => zip({ 'README.md': 'x' }), /no manifest\.yaml at the root/],
    ['manifest.yml', () => zip({ 'manifest.yml': 'x' }), /called manifest\.yml/],
    ['a path that climbs out', () => rawZip([manifest, { name: '../evil.js' }]), /leads out|relative path/],
    [
      'a path that climbs out further in',
      () => rawZip([manifest, { name: 'tools/../../evil.js' }]),
      /leads out|relative path/,
    ],
    ['an absolute path', () => rawZip([manifest, { name: '/etc/passwd' }]), /absolute path/],
    ['a drive letter', () => rawZip([manifest, { name: 'C:/evil.js' }]), /absolute path/],
    ['a backslash', () => rawZip([manifest, { name: 'tools\\evil.js' }]), /backslash/],
    ['a NUL in a name', () => rawZip([manifest, { name: 'tools/a\0.js' }]), /NUL|invalid/],
    [
      'a symbolic link',
      () => rawZip([manifest, { name: 'README.md', content: Buffer.from('/etc/passwd'), externalAttributes: link }]),
      /symbolic link/,
    ],
    ['an encrypted entry', () => rawZip([{ ...manifest, flags: 0x801 }]), /encrypted/],
    ['a damaged entry', () => rawZip([{ ...manifest, crc: 1 }]), /is damaged/],
    [
      'names that differ only in case',
      () => rawZip([manifest, { name: 'tools/a.js' }, { name: 'tools/A.js' }]),
      /differ only in case/,
    ],
    ['the same name twice', () => rawZip([manifest, manifest]), /differ only in case, or are the same/],
    [
      '201 entries',
      () => rawZip([manifest, ...Array.from({ length: 200 }, (_, index) => ({ name: `f${index}` }))]),
      /more than 200 entries/,
    ],
    [
      'a bomb',
      () => rawZip([manifest, { name: 'README.md', content: Buffer.alloc(10 * 1024 * 1024) }]),
      /more than 100 times its size/,
    ],
    [
      'a bomb that lies about its size',
      () => rawZip([manifest, { name: 'README.md', content: Buffer.alloc(30 * 1024 * 1024), declaredSize: 10 }]),
      /too many bytes|not enough|cannot be read/,
    ],
    [
      'more than it may unpack to',
      () => zip({ 'manifest.yaml': 'x', 'README.md': Buffer.alloc(21 * 1024 * 1024, 'ab') }, { compress: true }),
      /unpacks to more than/,
    ],
    ['a packed size over the limit', () => Buffer.alloc(6 * 1024 * 1024), /the limit is/],
    ['a truncated archive', async () => (await zip({ 'manifest.yaml': 'id: a' })).subarray(0, 60), /cannot be read/],
    ['something that is no zip', () => Buffer.from('id: a\nname: b\n'), /cannot be read/],
    ['nothing', () => Buffer.alloc(0), /cannot be read/],
  ];
  it.each(table)('K-12 refuses %s', async (_title, bytes, wanted) => {
    const error: unknown = await readZip(await bytes()).catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(ForgeError);
    expect(error).toMatchObject({ code: 'invalid_package', message: expect.stringMatching(wanted) });
  });

  it('never fails in another way, whatever the bytes', async () => {
    const base = await zip({ 'manifest.yaml': 'id: a', 'tools/a.js': 'return 1' });
    const damaged = fc
      .array(fc.tuple(fc.nat(base.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
      .map((changes) => {
        const copy = Buffer.from(base);
        for (const [index, byte] of changes) copy[index] = byte;
        return copy;
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, fc.uint8Array({ maxLength: 300 })), async (bytes) => {
        try {
          const { files } = await readZip(bytes);
          for (const name of files.keys()) expect(isPackageFile(name)).toBe(true);
        } catch (error) {
          expect(isForgeError(error, 'invalid_package')).toBe(true);
        }
      }),
      { numRuns: rounds(10_000) },
    );
  });
});

it('one hash stands for a set of files, whatever their order', () => {
  const one = new Map([
    ['a', Buffer.from('1')],
    ['b', Buffer.from('2')],
  ]);
  const two = new Map([
    ['b', Buffer.from('2')],
    ['a', Buffer.from('1')],
  ]);
  expect(contentHash(one)).toBe(contentHash(two));
  expect(contentHash(one)).not.toBe(
    contentHash(
      new Map([
        ['a', Buffer.from('12')],
        ['b', Buffer.from('')],
      ]),
    ),
  );
});
