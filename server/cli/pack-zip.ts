import type { PackageFiles } from '../connectors/package-files.ts';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_CENTRAL = 0x06054b50;
const VERSION = 20;
/** Bit 11: names are UTF-8. */
const FLAGS = 0x0800;
/** 1980-01-01, the earliest date a zip can hold: the same files always make the same zip. */
const DATE = 0x0021;

/** Puts a connector's files into a zip without compressing them, which is all that sending a folder to Forge needs. */
export function packZip(files: PackageFiles): Uint8Array {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const nameBytes = Buffer.from(name);
    const common = commonFields(nameBytes, bytes);
    const local = Buffer.concat([uint32(LOCAL_HEADER), common, nameBytes, bytes]);
    // After the shared fields: comment length, disk, two kinds of attributes, and where the entry starts.
    const rest = Buffer.concat([Buffer.alloc(10), uint32(offset)]);
    centrals.push(Buffer.concat([uint32(CENTRAL_HEADER), uint16(VERSION), common, rest, nameBytes]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const counts = Buffer.concat([uint16(0), uint16(0), uint16(files.size), uint16(files.size)]);
  const end = Buffer.concat([uint32(END_OF_CENTRAL), counts, uint32(central.length), uint32(offset), uint16(0)]);
  return Buffer.concat([...locals, central, end]);
}

/** The fields that both headers of an entry share, from the version to the length of the extra field. */
function commonFields(name: Buffer, bytes: Uint8Array): Buffer {
  const stored = 0;
  const time = 0;
  const small = [VERSION, FLAGS, stored, time, DATE].map(uint16);
  const sizes = [crc32(bytes), bytes.length, bytes.length].map(uint32);
  return Buffer.concat([...small, ...sizes, uint16(name.length), uint16(0)]);
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Not every Node that Forge runs on has it in node:zlib. */
function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (CRC_TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
