import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../shared/json.ts';
import { decodeBody, decodeJson, looksBinary } from './decode-body.ts';
import { isBinaryType, isJsonLinesType, isJsonType, readMediaType, typeOfBytes } from './media-type.ts';
import { looksLikeJson, parseJson, parseJsonLines } from './parse-json.ts';
import { safeFilename } from './safe-filename.ts';

/** What a response's body turned out to be. */
export type ReadBody =
  | { kind: 'json'; value: JsonValue; /** The text it was read from, where that is all there was. */ text?: string }
  | { kind: 'text'; text: string; isHtml: boolean }
  | { kind: 'binary'; contentType: string; filename?: string }
  | { kind: 'empty' };

const EMPTY: ReadBody = { kind: 'empty' };
const HTML = /^\s*(?:<!doctype html|<html[\s>])/i;
// Some services put this before their JSON so that a page cannot load it as a script.
const GUARD = /^\)\]\}'[^\n]{0,8}\n/;

/** Reads a body by its content type where that can be believed, and by its bytes where it cannot. */
export function readHttpBody(headers: Readonly<Record<string, string>>, body: Buffer): ReadBody {
  if (body.length === 0) return EMPTY;
  const type = readMediaType(headerOf(headers, 'content-type'));
  if (isJsonType(type.essence)) {
    const text = withoutGuard(decodeJson(body, type));
    const value = parseJson(text);
    if (value !== undefined) return { kind: 'json', value, text };
  }
  const disposition = headerOf(headers, 'content-disposition');
  if (isBinaryType(type.essence)) {
    const value = isUnnamedBytes(type.essence, disposition) ? parseUnnamed(body) : undefined;
    return value === undefined ? binary(type.essence, disposition) : { kind: 'json', value };
  }
  const known = typeOfBytes(body);
  if (known !== null || looksBinary(body, type)) return binary(known ?? 'application/octet-stream', disposition);
  return readText(decodeBody(body, type), type.essence);
}

/** A header by its name, in whatever case it was kept. */
export function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  if (Object.hasOwn(headers, name)) return headers[name];
  const wanted = name.toLowerCase();
  for (const key of Object.keys(headers)) if (key.toLowerCase() === wanted) return headers[key];
  return undefined;
}

function readText(text: string, essence: string): ReadBody {
  if (text.trim() === '') return EMPTY;
  if (isJsonLinesType(essence)) {
    const values = parseJsonLines(text);
    if (values !== undefined) return { kind: 'json', value: values };
  }
  const unguarded = withoutGuard(text);
  const value = looksLikeJson(unguarded) ? parseJson(unguarded) : undefined;
  if (value !== undefined) return { kind: 'json', value };
  return { kind: 'text', text, isHtml: /\bx?html\b/.test(essence) || HTML.test(text) };
}

/** `application/octet-stream` without a file name says only that the service did not care. */
function isUnnamedBytes(essence: string, disposition: string | undefined): boolean {
  return essence === 'application/octet-stream' && disposition === undefined;
}

function parseUnnamed(body: Buffer): JsonValue | undefined {
  if (!isUtf8(body)) return undefined;
  const text = body.toString('utf8');
  return looksLikeJson(text) ? parseJson(text) : undefined;
}

function withoutGuard(text: string): string {
  return text.startsWith(")]}'") ? text.replace(GUARD, '') : text;
}

function binary(contentType: string, disposition: string | undefined): ReadBody {
  const filename = disposition === undefined ? null : filenameOf(disposition);
  return { kind: 'binary', contentType, ...(filename === null ? {} : { filename: safeFilename(filename) }) };
}

/** The file name in a Content-Disposition header, in the extended form first, which can hold any character. */
function filenameOf(disposition: string): string | null {
  const extended = /(?:^|;)\s*filename\*\s*=\s*([\w-]*)'[^']*'([^;\s]+)/i.exec(disposition);
  const decoded = extended === null ? null : percentDecoded(extended[2] ?? '');
  if (decoded !== null) return decoded;
  const quoted = /(?:^|;)\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition);
  const name = quoted?.[1]?.replaceAll(/\\(.)/g, '$1') ?? /(?:^|;)\s*filename\s*=\s*([^";]+)/i.exec(disposition)?.[1];
  return name === undefined ? null : fromHeaderBytes(name.trim());
}

function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not UTF-8; the plain form of the name comes next.
    return null;
  }
}

/** Headers arrive as one character per byte, and many services put UTF-8 into them. */
function fromHeaderBytes(name: string): string {
  if (/[^\u0000-\u00ff]/.test(name)) return name;
  const bytes = Buffer.from(name, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : name;
}
