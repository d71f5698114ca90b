import { isUtf8 } from 'node:buffer';
import type { MediaType } from './media-type.ts';

const SNIFFED_BYTES = 4096;
/** As far as browsers look for a declaration inside a document. */
const DECLARATION_BYTES = 1024;

/** Makes text of a body by what its header, its first bytes or the document itself say; never fails, whatever they claim. */
export function decodeBody(body: Buffer, type: MediaType): string {
  const marked = decodeMarked(body);
  if (marked !== null) return marked;
  for (const label of [type.charset, declaredCharset(body, type.essence)]) {
    const text = label === null ? null : decodeStrictly(body, label);
    if (text !== null) return text;
  }
  return decodeGuessed(body);
}

/** JSON is UTF-8 by definition; what else a header says only counts when it is not. */
export function decodeJson(body: Buffer, type: MediaType): string {
  return isUtf8(body) ? withoutMark(body.toString('utf8')) : decodeBody(body, type);
}

/** True for bytes that no charset makes readable text of. */
export function looksBinary(body: Buffer, type: MediaType): boolean {
  if (hasUtf16Mark(body) || type.charset?.toLowerCase().startsWith('utf-16') === true) return false;
  const sample = body.subarray(0, SNIFFED_BYTES);
  if (sample.includes(0)) return true;
  let controls = 0;
  for (const byte of sample) if (byte < 0x20 && !isTextControl(byte)) controls += 1;
  return controls * 20 > sample.length;
}

/** Tab, line breaks, backspace, form feed and escape occur in logs and terminal output. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x08 && byte <= 0x0d) || byte === 0x1b;
}

function hasUtf16Mark(body: Buffer): boolean {
  return (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
}

function decodeMarked(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return withoutMark(body.toString('utf8'));
  if (!hasUtf16Mark(body)) return null;
  return new TextDecoder(body[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(body);
}

function decodeStrictly(body: Buffer, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(body);
  } catch {
    // The charset is unknown, or the bytes are in another one.
    return null;
  }
}

function declaredCharset(body: Buffer, essence: string): string | null {
  if (!/html|xml/.test(essence) && body[0] !== 0x3c) return null;
  const head = body.toString('latin1', 0, DECLARATION_BYTES);
  const found = /<meta\s[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)/i.exec(head);
  return found?.[1] ?? /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ?? null;
}

/** UTF-8 with a few damaged places is still UTF-8; otherwise the most common of the old charsets. */
function decodeGuessed(body: Buffer): string {
  const text = body.toString('utf8');
  if (isUtf8(body)) return text;
  let damaged = 0;
  let foreign = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd) damaged += 1;
    else if (code > 0x7f) foreign += 1;
  }
  return damaged <= foreign ? text : new TextDecoder('windows-1252').decode(body);
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
