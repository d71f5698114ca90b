import { asTemplate } from './scope.ts';
import type { Scope } from './scope.ts';
import { checkUrl, fixedUrl, textAt } from './url-checks.ts';
import { placeUrlParts, type PlacedPart } from './url-positions.ts';
import { fillUrl } from './url-values.ts';
import type { UrlOptions } from './url-values.ts';
import type { Template, Token } from './parse.ts';

/** Fills a URL; no value can change the origin, the scheme or the fixed part of the path (C-82, K-07). */
export function expandUrl(template: Template | string, scope: Scope, options: UrlOptions): string {
  const pieces = fillUrl(placeUrlParts(asTemplate(template, scope, options)), scope, options);
  checkUrl(pieces);
  let url = '';
  for (const { shown } of pieces) url += shown;
  return url;
}

/** Where a URL goes, and who says so. */
export interface UrlPrefix {
  readonly origin: string;
  /** All tokens that have a say in it. */
  readonly tokens: readonly Token[];
  /** The one that is the whole host; null when the template's own text is part of it. */
  readonly hostToken: Token | null;
}

/** Where a URL will go and which tokens decide it, so that a host named by an argument can be put to the person first (K-61). */
export function urlPrefix(template: Template | string, scope: Scope, options: UrlOptions): UrlPrefix {
  const parsed = asTemplate(template, scope, options);
  const placed = placeUrlParts(parsed).filter((part) => part.position === 'base' || part.position === 'authority');
  const pieces = fillUrl(placed, scope, options);
  const tokens = placed.flatMap((part) => (part.kind === 'token' ? [part.token] : []));
  const hostToken = isWholeHost(placed) ? (tokens[0] ?? null) : null;
  return { origin: fixedUrl(textAt(pieces, 'authority'), pieces).origin, tokens, hostToken };
}

/** One token between the scheme and the port, which may stand in the template or be another token. */
function isWholeHost(placed: readonly PlacedPart[]): boolean {
  const outline = placed.map((part) => (part.kind === 'token' ? '{' : part.text)).join('');
  return /^(?:[a-z*]+:\/\/)?\{(?::[\d{]*)?$/i.test(outline);
}
