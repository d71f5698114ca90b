import { ForgeError } from '../errors.ts';

/** Ten times the largest manifest seen in use, and small enough to be read in well under a second. */
export const MAX_MANIFEST_BYTES = 512 * 1024;

/** Turns the bytes of a manifest or script into text; everything that is not plain UTF-8 is refused with the way out. */
export function decodeText(bytes: Uint8Array, name: string): string {
  if (bytes.length > MAX_MANIFEST_BYTES) throw tooLarge(name, bytes.length);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new ForgeError('invalid_manifest', `${name} is encoded as UTF-16`, { hint: 'Save it as UTF-8.' });
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ForgeError('invalid_manifest', `${name} is not valid UTF-8`, { hint: 'Save it as UTF-8.', cause });
  }
  return checkText(text, name);
}

/** The same checks for text that arrived inside JSON. A byte order mark is harmless and dropped. */
export function checkText(text: string, name: string): string {
  if (text.length > MAX_MANIFEST_BYTES) throw tooLarge(name, text.length);
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const nul = clean.indexOf('\0');
  if (nul >= 0) {
    const line = clean.slice(0, nul).split('\n').length;
    throw new ForgeError('invalid_manifest', `${name} has a NUL character in line ${line}`, {
      hint: 'It may be a binary file, or UTF-16 without a mark. Save it as UTF-8.',
    });
  }
  if (!clean.isWellFormed()) {
    throw new ForgeError('invalid_manifest', `${name} has half of a surrogate pair in it`, {
      hint: 'Save it as UTF-8.',
    });
  }
  return clean;
}

function tooLarge(name: string, size: number): ForgeError {
  return new ForgeError('invalid_manifest', `${name} is ${size} bytes long; the limit is ${MAX_MANIFEST_BYTES}`, {
    hint: 'Move long scripts into tools/<tool>.js files.',
  });
}
