import { ForgeError } from '../errors.ts';
import { ownValue } from '../json.ts';
import { Secret } from '../secret.ts';
import { trimSlashes } from './expand-text.ts';
import { isEmpty, isSetting, lookUp, nameOf, settingMissing, textOf, unsafe } from './scope.ts';
import type { Scope, SecretPolicy } from './scope.ts';
import { encodePathArgument, encodePathText, requireHost, requireWellFormed } from './url-encode.ts';
import type { UrlEncoding } from './url-encode.ts';
import type { PlacedPart, UrlPosition } from './url-positions.ts';
import type { Token } from './parse.ts';
import { parseUrl } from '../parse-url.ts';

/** A stretch of an expanded URL. `shown` differs from `text` only where a dry run hides a secret. */
export interface UrlPiece {
  readonly position: UrlPosition;
  readonly token: Token | null;
  readonly text: string;
  readonly shown: string;
}

export interface UrlOptions {
  readonly secrets: SecretPolicy;
  readonly bareNames?: ReadonlySet<string>;
  /** `url_encoding` by parameter; `uri_component` where it says nothing. */
  readonly encodings?: Readonly<Record<string, UrlEncoding>>;
}

// A reserved name, so that a URL whose host is hidden can still be checked like any other.
const HIDDEN_HOST = 'secret.invalid';

/** Fills the parts of a URL, each value encoded for the position it stands in. */
export function fillUrl(placed: readonly PlacedPart[], scope: Scope, options: UrlOptions): UrlPiece[] {
  const pieces: UrlPiece[] = [];
  const last = placed.at(-1);
  for (const part of placed) {
    if (part.kind === 'token') fillToken(pieces, part, scope, options, part === last);
    else pieces.push({ position: part.position, token: null, text: part.text, shown: part.text });
  }
  return joinSlashes(pieces);
}

type PlacedToken = Extract<PlacedPart, { kind: 'token' }>;

function fillToken(
  pieces: UrlPiece[],
  { position, token }: PlacedToken,
  scope: Scope,
  options: UrlOptions,
  isLast: boolean,
): void {
  const value = lookUp(scope, token);
  if (position === 'base' || position === 'authority') requireOrigin(position, token, value);
  const hidden = options.secrets === 'mask' && value instanceof Secret && !value.isEmpty;
  if (position === 'base') {
    if (hidden) pieces.push({ position: 'authority', token, text: `https://${HIDDEN_HOST}`, shown: String(value) });
    else fillBase(pieces, textOf(value, token, options.secrets).trim(), token, isLast);
    return;
  }
  if (position === 'authority' && hidden) {
    pieces.push({ position, token, text: HIDDEN_HOST, shown: String(value) });
    return;
  }
  const text = textOf(value, token, options.secrets);
  requireWellFormed(text, token);
  const encoded = encodeFor(position, text, token, options);
  pieces.push({ position, token, text: encoded, shown: hidden ? String(value) : encoded });
}

/** A call may never choose a whole URL, and nothing that makes up the origin may be missing. */
function requireOrigin(position: 'base' | 'authority', token: Token, value: unknown): void {
  if (position === 'base' && !isSetting(token)) {
    throw unsafe(token, 'may not be a whole URL: the manifest or a setting decides where a request goes');
  }
  if (!isEmpty(value)) return;
  if (isSetting(token)) throw settingMissing(token, 'the address');
  throw new ForgeError('invalid_argument', `${nameOf(token)} is missing, and it is part of the host name.`);
}

function encodeFor(position: UrlPosition, text: string, token: Token, options: UrlOptions): string {
  if (position === 'authority') {
    requireHost(text, token);
    return text;
  }
  if (position !== 'path') return encodeURIComponent(text);
  if (isSetting(token)) return encodePathText(text);
  return encodePathArgument(text, token, encodingOf(token, options));
}

function encodingOf(token: Token, options: UrlOptions): UrlEncoding {
  const [name = ''] = token.path;
  const encoding = token.root === 'args' ? ownValue(options.encodings, name) : undefined;
  return encoding === 'none' || encoding === 'path_segments' ? encoding : 'uri_component';
}

/** A base URL becomes its authority and its path; a query is kept only when the setting is the whole address. */
function fillBase(pieces: UrlPiece[], text: string, token: Token, isLast: boolean): void {
  requireWellFormed(text, token);
  const base = readBase(text);
  if (base === null) {
    throw unsafe(token, 'must be a full address such as "https://example.com", without user name or fragment');
  }
  const { authority, path, query } = base;
  if (query !== '' && !isLast) throw unsafe(token, 'must be an address without "?": the path is appended to it');
  pieces.push(
    { position: 'authority', token, text: authority, shown: authority },
    { position: 'path', token, text: path, shown: path },
    { position: 'query', token, text: query, shown: query },
  );
}

interface Base {
  readonly authority: string;
  /** Encoded. */
  readonly path: string;
  readonly query: string;
}

/** A base URL is a setting, the same for call after call. */
const bases = new Map<string, Base | null>();
const MAX_BASES = 1000;

function readBase(text: string): Base | null {
  let base = bases.get(text);
  if (base === undefined) {
    const match = /^(https?:\/\/[^/?#\\@\s\p{Cc}]+)(\/[^?#\\\s\p{Cc}]*)?(\?[^#\\\s\p{Cc}]*)?$/iu.exec(text);
    const [, authority = '', path = '', query = ''] = match ?? [];
    base = match !== null && parseUrl(text) !== null ? { authority, path: encodePathText(path), query } : null;
    if (bases.size >= MAX_BASES) bases.clear();
    bases.set(text, base);
  }
  return base;
}

/** Takes the last slash off a setting where the path goes on with one, so that no `//` comes out (W-17). */
function joinSlashes(pieces: UrlPiece[]): UrlPiece[] {
  let rest = '';
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    const piece = pieces[index];
    if (piece?.position !== 'path') continue;
    let { text } = piece;
    if (text.endsWith('/') && rest.startsWith('/') && piece.token !== null && isSetting(piece.token)) {
      text = trimSlashes(text);
      pieces[index] = { ...piece, text, shown: trimSlashes(piece.shown) };
    }
    if (text === '' && rest.startsWith('/') && piece.token !== null && isSetting(piece.token)) dropSlash(pieces, index);
    if (text !== '') rest = text;
  }
  return pieces;
}

/** A setting that is left empty, such as a context path, leaves no empty segment behind. */
function dropSlash(pieces: UrlPiece[], end: number): void {
  for (let index = end - 1; index >= 0; index -= 1) {
    const piece = pieces[index];
    if (piece?.position !== 'path') return;
    if (piece.text === '') continue;
    if (piece.token === null && piece.text.endsWith('/'))
      pieces[index] = { ...piece, text: piece.text.slice(0, -1), shown: piece.shown.slice(0, -1) };
    return;
  }
}

/** True for an address that a setting may hold where a URL starts with it. */
export function isBaseUrl(text: string): boolean {
  return readBase(text.trim()) !== null;
}
