import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Every way a secret could stand in a file or an answer. */
export function spellings(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  // Base64 of a longer text shows the secret in one of three alignments; the outer characters depend on the neighbours.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : 4, -3),
  );
  return [
    bytes,
    Buffer.from(secret, 'utf16le'),
    Buffer.from(JSON.stringify(secret).slice(1, -1)),
    Buffer.from(encodeURIComponent(secret)),
    Buffer.from(new URLSearchParams({ x: secret }).toString().slice(2)),
    Buffer.from(bytes.toString('hex')),
    Buffer.from(bytes.toString('hex').toUpperCase()),
    ...base64.map((text) => Buffer.from(text)),
    ...base64.map((text) => Buffer.from(text.replaceAll('+', '-').replaceAll('/', '_'))),
  ];
}

/** Something that was written down or sent out. */
export interface Place {
  name: string;
  bytes: Buffer;
}

/** Every file below a folder; its name counts as a part of it. */
export function filesBelow(folder: string): Place[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => {
      const name = path.relative(folder, file);
      return { name, bytes: Buffer.concat([Buffer.from(`${name}\n`), readFileSync(file)]) };
    });
}

/** Where secrets stand, by their number and with what comes before them. */
export function findCanaries(places: readonly Place[], secrets: readonly string[]): string[] {
  return secrets.flatMap((secret, index) =>
    places.flatMap(({ name, bytes }) => {
      const at = spellings(secret).map((spelling) => bytes.indexOf(spelling));
      const kind = at.findIndex((offset) => offset !== -1);
      if (kind === -1) return [];
      const before = bytes.subarray(Math.max(0, at[kind]! - 60), at[kind]).toString('latin1');
      return [`${name}: secret ${index} in spelling ${kind} after ${JSON.stringify(before)}`];
    }),
  );
}
