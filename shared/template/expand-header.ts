import { ForgeError } from '../errors.ts';
import { isForbiddenKey } from '../json.ts';
import { fillPieces, joinPieces } from './expand-text.ts';
import type { Piece } from './expand-text.ts';
import { asTemplate, unsafe } from './scope.ts';
import type { ExpandOptions, Scope } from './scope.ts';
import type { Template } from './parse.ts';

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** A tab is the one control character that may stand in a header. */
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/;
const BEYOND_LATIN_1 = /[^\u0000-\u00ff]/;

/** Fills a header or auth value; null when something it names is missing or empty, so that `Bearer ` is never sent bare (W-06). */
export function expandHeader(template: Template | string, scope: Scope, options: ExpandOptions): string | null {
  const pieces = fillPieces(asTemplate(template, scope, options), scope, options);
  if (pieces.some((piece) => piece.isEmpty)) return null;
  for (const piece of pieces) checkPiece(piece);
  return joinPieces(pieces);
}

/** Fills a map of headers; names are literal, so a template can drop a header but never add one. */
export function expandHeaders(
  headers: Readonly<Record<string, unknown>>,
  scope: Scope,
  options: ExpandOptions,
): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || isForbiddenKey(name)) {
      throw new ForgeError('invalid_manifest', `${JSON.stringify(name)} is not a valid header name.`);
    }
    const text = headerText(value, scope, options);
    if (text !== null) filled[name] = text;
  }
  return filled;
}

function headerText(value: unknown, scope: Scope, options: ExpandOptions): string | null {
  if (typeof value === 'string') return expandHeader(value, scope, options);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function checkPiece({ token, text }: Piece): void {
  const problem = findProblem(text);
  if (problem === null) return;
  if (token) throw unsafe(token, `${problem}, which a header cannot carry`);
  throw new ForgeError('unsafe_value', `A header in the manifest ${problem}, which a header cannot carry.`);
}

function findProblem(text: string): string | null {
  if (CONTROL.test(text)) return 'contains a line break or another control character';
  return BEYOND_LATIN_1.test(text) ? 'contains a character outside Latin-1' : null;
}
