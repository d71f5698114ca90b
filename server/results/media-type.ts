/** What a Content-Type header says. */
export interface MediaType {
  /** In lower case and without parameters; empty when there is no header. */
  essence: string;
  charset: string | null;
}

const BINARY_FAMILY = /^(?:image|audio|video|font)\//;
const BINARY_APPLICATION =
  /^application\/(?:octet-stream|pdf|(?:x-)?(?:zip|zip-compressed|gzip|bzip2?|xz|tar|7z-compressed|rar-compressed|compress)|zstd|vnd\.rar|java-archive|wasm|msword|rtf|vnd\.(?:ms-|openxmlformats|oasis\.opendocument).*|x-(?:protobuf|sqlite3|msdownload|iso9660-image|executable)|protobuf|.*\+(?:zip|gzip))$/;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/x-tar': 'tar',
  'application/json': 'json',
  'application/xml': 'xml',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

const MAGIC: readonly (readonly [string, readonly number[]])[] = [
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
  ['application/gzip', [0x1f, 0x8b]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
];

const UNKNOWN: MediaType = { essence: '', charset: null };

/** Reads a Content-Type header; one that makes no sense counts as none. */
export function readMediaType(header: string | undefined): MediaType {
  if (header === undefined) return UNKNOWN;
  const [first = '', ...parameters] = header.split(';');
  const essence = first.trim().toLowerCase();
  const charset = parameters.map((text) => /^\s*charset\s*=\s*["']?([^"'\s]+)/i.exec(text)?.[1]).find(Boolean) ?? null;
  return { essence, charset };
}

export function isJsonType(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json') || essence === 'text/json';
}

export function isJsonLinesType(essence: string): boolean {
  return /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(essence);
}

export function isBinaryType(essence: string): boolean {
  if (essence.endsWith('+xml')) return false;
  return BINARY_FAMILY.test(essence) || BINARY_APPLICATION.test(essence);
}

/** What a file is by its first bytes, for services that do not say; null when they are nothing known. */
export function typeOfBytes(bytes: Uint8Array): string | null {
  const known = MAGIC.find(([, magic]) => magic.every((byte, index) => bytes[index] === byte));
  return known === undefined ? null : known[0];
}

/** The ending a file of this type usually has, with its dot; empty when there is no usual one. */
export function extensionOf(contentType: string): string {
  const { essence } = readMediaType(contentType);
  return Object.hasOwn(EXTENSIONS, essence) ? `.${EXTENSIONS[essence] ?? ''}` : '';
}

/** The type a file of this name usually has. */
export function typeOfName(filename: string): string {
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase();
  const known = Object.entries(EXTENSIONS).find(([, ending]) => ending === extension);
  return known === undefined ? 'application/octet-stream' : known[0];
}
