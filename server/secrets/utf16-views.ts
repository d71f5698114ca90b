/** A file read as UTF-16: the text, and how to put the file together again when the text has changed. */
interface Utf16View {
  text: string;
  write: (text: string) => Buffer;
}

interface Reading {
  isBigEndian: boolean;
  /** 1 for a text that begins at an odd place, as it may inside a file of another kind. */
  offset: 0 | 1;
}

const READINGS: readonly Reading[] = [
  { isBigEndian: false, offset: 0 },
  { isBigEndian: true, offset: 0 },
  { isBigEndian: false, offset: 1 },
  { isBigEndian: true, offset: 1 },
];

/** Changes a file in every way in which it can be read as UTF-16; `change` answers null when there is nothing to change. */
export function changeUtf16(bytes: Buffer, change: (text: string) => string | null): Buffer {
  if (!mayHoldUtf16(bytes)) return bytes;
  let changed = bytes;
  for (const reading of READINGS) {
    const { text, write } = viewOf(changed, reading);
    const clean = change(text);
    if (clean !== null) changed = write(clean);
  }
  return changed;
}

/** In UTF-16 every space, digit and line break has a zero in it; a file without any zero is no such text, unless it is marked as one. */
function mayHoldUtf16(bytes: Buffer): boolean {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16LE();
  return mark === 0xfeff || mark === 0xfffe || bytes.includes(0);
}

function viewOf(bytes: Buffer, { isBigEndian, offset }: Reading): Utf16View {
  const end = bytes.length - ((bytes.length - offset) % 2);
  const swapped = (part: Buffer) => (isBigEndian ? Buffer.from(part).swap16() : part);
  return {
    text: swapped(bytes.subarray(offset, Math.max(offset, end))).toString('utf16le'),
    write: (text) =>
      Buffer.concat([bytes.subarray(0, offset), swapped(Buffer.from(text, 'utf16le')), bytes.subarray(end)]),
  };
}
