import { randomBytes } from 'node:crypto';

/** A field of a form: a text, or a file. */
export type Part =
  | { name: string; text: string }
  | { name: string; filename: string; contentType: string; bytes: Uint8Array };

const TYPE = /^multipart\/form-data; boundary=([\w-]+)$/;

/** A form with files (RFC 7578), as browsers write it. The boundary is drawn anew, so that no content can hold it. */
export function encodeMultipart(parts: readonly Part[]): { type: string; bytes: Uint8Array } {
  const boundary = `forge-${randomBytes(18).toString('hex')}`;
  const pieces = parts.flatMap((part) => encodePart(boundary, part));
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** Adds a field behind the others; null for a body that is no such form. */
export function withField(type: string, bytes: Uint8Array, field: { name: string; text: string }): Uint8Array | null {
  const boundary = TYPE.exec(type)?.[1];
  if (boundary === undefined) return null;
  const end = Buffer.from(`--${boundary}--\r\n`);
  return Buffer.concat([bytes.subarray(0, bytes.length - end.length), ...encodePart(boundary, field), end]);
}

function encodePart(boundary: string, part: Part): Uint8Array[] {
  const isFile = 'bytes' in part;
  const file = isFile ? `; filename="${escaped(part.filename)}"` : '';
  const type = isFile ? `Content-Type: ${part.contentType.replaceAll(/[\r\n]/g, '')}\r\n` : '';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(part.name)}"${file}\r\n${type}\r\n`;
  return [Buffer.from(head), isFile ? part.bytes : Buffer.from(part.text), Buffer.from('\r\n')];
}

/** The three characters that could end a name; everything else is UTF-8 as it is. */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
