import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { isPackageFile, MANIFEST, PACKAGE_LIMITS, type PackageFiles } from './package-files.ts';

export const MAX_ZIP_BYTES = 5 * 1024 * 1024;
const MAX_RATIO = 100;
/** Small files compress extremely well without being an attack. */
const RATIO_FREE_BYTES = 64 * 1024;

/** Unpacks a connector in memory. Every entry is checked before a byte of it is inflated. */
export async function readZip(bytes: Uint8Array): Promise<{ files: PackageFiles; ignored: string[] }> {
  if (bytes.length > MAX_ZIP_BYTES)
    throw refuse(`the zip is ${bytes.length} bytes long; the limit is ${MAX_ZIP_BYTES}`);
  const zip = await openZip(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  try {
    return await readEntries(zip);
  } finally {
    zip.close();
  }
}

async function readEntries(zip: ZipFile): Promise<{ files: PackageFiles; ignored: string[] }> {
  const files = new Map<string, Uint8Array>();
  const seen = new Map<string, string>();
  const ignored: string[] = [];
  let total = 0;
  let count = 0;
  for await (const entry of entriesOf(zip)) {
    count += 1;
    if (count > PACKAGE_LIMITS.files) throw refuse(`the zip has more than ${PACKAGE_LIMITS.files} entries`);
    const name = checkName(entry, seen);
    total += entry.uncompressedSize;
    checkSize(entry, name, total);
    if (name.endsWith('/')) continue;
    if (isPackageFile(name)) files.set(name, await inflate(zip, entry));
    else ignored.push(name);
  }
  if (!files.has(MANIFEST)) throw missingManifest([...seen.values()]);
  return { files, ignored };
}

function checkName(entry: Entry, seen: Map<string, string>): string {
  const name = entry.fileName;
  const shown = JSON.stringify(name.slice(0, 100));
  if (name.includes('\\'))
    throw refuse(`the entry ${shown} has a backslash in its name`, 'Pack it with forward slashes.');
  if (name.includes('\0')) throw refuse(`the entry ${shown} has a NUL in its name`);
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) throw refuse(`the entry ${shown} has an absolute path`);
  if (name.split('/').some((part) => part === '..' || part === '.'))
    throw refuse(`the entry ${shown} leads out of the folder`);
  if (isLink(entry)) throw refuse(`the entry ${shown} is a symbolic link`);
  if ((entry.generalPurposeBitFlag & 1) !== 0)
    throw refuse(`the entry ${shown} is encrypted`, 'Pack it without a password.');
  const folded = name.normalize('NFC').toLowerCase();
  const twin = seen.get(folded);
  if (twin !== undefined)
    throw refuse(`the entries ${JSON.stringify(twin)} and ${shown} differ only in case, or are the same`);
  seen.set(folded, name);
  return name;
}

function checkSize(entry: Entry, name: string, total: number): void {
  if (total > PACKAGE_LIMITS.bytes) throw refuse(`the zip unpacks to more than ${PACKAGE_LIMITS.bytes} bytes`);
  const { compressedSize, uncompressedSize } = entry;
  if (uncompressedSize > RATIO_FREE_BYTES && uncompressedSize > compressedSize * MAX_RATIO) {
    throw refuse(`the entry ${JSON.stringify(name)} unpacks to more than ${MAX_RATIO} times its size`);
  }
}

/** The file's Unix mode stands in the upper half of the external attributes. */
function isLink(entry: Entry): boolean {
  return ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}

function missingManifest(names: readonly string[]): ForgeError {
  const nested = names.find((name) => /^[^/]+\/manifest\.ya?ml$/.test(name));
  if (nested !== undefined) {
    const folder = nested.slice(0, nested.indexOf('/'));
    return refuse(
      `manifest.yaml is inside the folder ${JSON.stringify(folder)}, not at the root of the zip`,
      `Pack the folder's content: cd ${folder} && zip -r ../connector.zip .`,
    );
  }
  if (names.includes('manifest.yml'))
    return refuse('the manifest is called manifest.yml', 'Rename it to manifest.yaml.');
  return refuse('there is no manifest.yaml at the root of the zip');
}

async function openZip(buffer: Buffer): Promise<ZipFile> {
  // A CommonJS package that is bundled and loaded later has its default export only.
  const { default: yauzl } = await import('yauzl');
  return new Promise((resolve, reject) => {
    // Names are checked above, with messages of our own; sizes are enforced while inflating.
    yauzl.fromBuffer(
      buffer,
      { lazyEntries: true, decodeStrings: true, validateEntrySizes: true, strictFileNames: true },
      (error, zip) => {
        if (error !== null) reject(unreadable(error));
        else resolve(zip);
      },
    );
  });
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | null>((resolve, reject) => {
      zip.removeAllListeners();
      zip.once('entry', resolve);
      zip.once('end', () => resolve(null));
      zip.once('error', (error: Error) => reject(unreadable(error)));
      zip.readEntry();
    });
    if (entry === null) return;
    yield entry;
  }
}

function inflate(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error !== null) {
        reject(unreadable(error));
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', (streamError: Error) => reject(unreadable(streamError)));
      stream.on('end', () => {
        const bytes = Buffer.concat(chunks);
        // The archive's own checksum: the library leaves it to its caller.
        if (crc32(bytes) === entry.crc32) resolve(bytes);
        else reject(refuse(`the entry ${JSON.stringify(entry.fileName)} is damaged`, 'Pack the zip again.'));
      });
    });
  });
}

function unreadable(error: Error): ForgeError {
  if (isForgeError(error)) return error;
  if (error.message.includes('backslash') || error.message.includes('invalid characters in fileName')) {
    return refuse('an entry of the zip has a backslash in its name', 'Pack it with forward slashes.');
  }
  if (/invalid relative path|absolute path/.test(error.message))
    return refuse(`an entry of the zip leads out of the folder: ${error.message}`);
  return new ForgeError('invalid_package', `the zip cannot be read: ${error.message}`, { cause: error });
}

function refuse(message: string, hint?: string): ForgeError {
  return new ForgeError('invalid_package', message, hint === undefined ? {} : { hint });
}
