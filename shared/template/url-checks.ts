import { ForgeError } from '../errors.ts';
import { isSetting, nameOf, unsafe } from './scope.ts';
import type { UrlPosition } from './url-positions.ts';
import type { UrlPiece } from './url-values.ts';
import type { Token } from './parse.ts';

/** The last look at an expanded URL: still the template's origin and path, and nothing in it that climbs out of that path. */
export function checkUrl(pieces: readonly UrlPiece[]): void {
  const alike = urlAlike(pieces);
  if (alike !== null && soundUrls.has(alike)) return;
  checkEveryPiece(pieces);
  if (alike === null) return;
  if (soundUrls.size >= MAX_FIXED_URLS) soundUrls.clear();
  soundUrls.add(alike);
}

/** URLs in which every value that a call supplied is a word. */
const soundUrls = new Set<string>();

/** The URL with the same word in every place a call fills, since all words check alike; null when something else stands in one. */
function urlAlike(pieces: readonly UrlPiece[]): string | null {
  let alike = '';
  for (const { token, text, position } of pieces) {
    if (token === null || isSetting(token)) alike += text;
    else if (position !== 'authority' && /^[\w-]+$/.test(text)) alike += '{}';
    else return null;
  }
  return alike;
}

function checkEveryPiece(pieces: readonly UrlPiece[]): void {
  const authority = textAt(pieces, 'authority');
  requireSlash(pieces);
  const url = parseUrl(pieces.map((piece) => piece.text).join(''), pieces);
  if (url.origin !== fixedUrl(authority, pieces).origin) throw blame(pieces, 'would send the request to another host');
  requireSoundSegments(pieces);
  const fixed = fixedPart(pieces);
  if (!url.pathname.startsWith(fixedUrl(fixed, pieces).pathname)) throw blame(pieces, 'would change the path');
}

interface UrlFacts {
  readonly origin: string;
  readonly pathname: string;
}

/** Addresses that a manifest and its settings fix are the same for every call, and parsing is the dear part of checking. */
const fixedUrls = new Map<string, UrlFacts>();
const MAX_FIXED_URLS = 1000;

export function fixedUrl(text: string, pieces: readonly UrlPiece[]): UrlFacts {
  let facts = fixedUrls.get(text);
  if (facts === undefined) {
    const { origin, pathname } = parseUrl(text, pieces);
    facts = { origin, pathname };
    if (fixedUrls.size >= MAX_FIXED_URLS) fixedUrls.clear();
    fixedUrls.set(text, facts);
  }
  return facts;
}

/** Parses an http address without user info, or says which value spoils it. */
function parseUrl(text: string, pieces: readonly UrlPiece[]): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw blame(pieces, 'does not give a valid address');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blame(pieces, 'does not give an http address');
  if (url.username !== '' || url.password !== '') throw blame(pieces, 'would put a user name into the address');
  return url;
}

export function textAt(pieces: readonly UrlPiece[], position: UrlPosition): string {
  return pieces
    .filter((piece) => piece.position === position)
    .map((piece) => piece.text)
    .join('');
}

/** What follows a host directly would become part of it. */
function requireSlash(pieces: readonly UrlPiece[]): void {
  const first = pieces.find((piece) => piece.position === 'path' && piece.text !== '');
  if (!first || /^[/\\]/.test(first.text)) return;
  throw blame([first], 'must start with "/", because it follows the host directly');
}

/** The URL up to the first value that a call supplies. */
function fixedPart(pieces: readonly UrlPiece[]): string {
  const first = pieces.findIndex(
    (piece) => piece.position !== 'authority' && piece.token !== null && !isSetting(piece.token),
  );
  const fixed = first === -1 ? pieces : pieces.slice(0, first);
  return fixed.map((piece) => piece.text).join('');
}

/** One path segment, and the values it is made of; a value with slashes is part of several. */
interface Segment {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Those that are empty as a whole. */
  readonly empty: readonly Token[];
}

function requireSoundSegments(pieces: readonly UrlPiece[]): void {
  const segments = segmentsOf(pieces);
  for (const segment of segments) requireNoDots(segment);
  for (const [index, segment] of segments.entries()) {
    // A value may end in a slash where the path does.
    const tokens = index === segments.length - 1 ? segment.empty : segment.tokens;
    const token = segment.text === '' ? tokens.find((candidate) => !isSetting(candidate)) : undefined;
    if (token !== undefined) throw emptySegment(token);
  }
}

/** Without its value an address means something else, such as a whole collection instead of one of its items. */
function emptySegment(token: Token): ForgeError {
  return new ForgeError(
    'invalid_argument',
    `${nameOf(token)} is empty or leaves an empty segment in the URL path, and the address would mean something else.`,
    { hint: 'Give a value without a slash at its beginning or end, and without two slashes in a row.' },
  );
}

function segmentsOf(pieces: readonly UrlPiece[]): Segment[] {
  const begin = (): { text: string; tokens: Token[]; empty: Token[] } => ({ text: '', tokens: [], empty: [] });
  const segments = [begin()];
  for (const { position, text: whole, token } of pieces) {
    if (position !== 'path') continue;
    for (const [index, text] of whole.split('/').entries()) {
      if (index > 0) segments.push(begin());
      const segment = segments.at(-1);
      if (segment === undefined) continue;
      segment.text += text;
      if (token) segment.tokens.push(token);
      if (token && whole === '') segment.empty.push(token);
    }
  }
  return segments.slice(1);
}

/** Servers differ in how often they decode, so a segment must not climb in any reading. */
function requireNoDots({ text, tokens }: Segment): void {
  const token = tokens.find((candidate) => !isSetting(candidate)) ?? tokens[0];
  const dots = token && /[.%\\]/.test(text) ? findDotSegment(text) : undefined;
  if (token && dots !== undefined) {
    throw unsafe(token, `puts "${dots}" into the URL path as a segment of its own, plainly or percent-encoded`);
  }
}

function findDotSegment(segment: string): string | undefined {
  const once = percentDecode(segment);
  return [segment, once, percentDecode(once)]
    .flatMap((reading) => reading.split(/[/\\]/))
    .map((part) => /^(\.{1,2})(?:;|$)/.exec(part)?.[1])
    .find((dots) => dots !== undefined);
}

function percentDecode(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Names the value that is most likely at fault: one a call supplied, else a setting, else the manifest itself. */
function blame(pieces: readonly UrlPiece[], problem: string): ForgeError {
  const tokens = pieces.flatMap((piece) => (piece.token ? [piece.token] : []));
  const token = tokens.find((candidate) => !isSetting(candidate)) ?? tokens[0];
  if (token) return unsafe(token, problem);
  return new ForgeError('invalid_manifest', `The address in the manifest ${problem}.`);
}
