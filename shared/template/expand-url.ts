import { asTemplate } from './scope.ts';
import type { Scope } from './scope.ts';
import { checkUrl, fixedUrl, textAt } from './url-checks.ts';
import { placeUrlParts } from './url-positions.ts';
import { fillUrl } from './url-values.ts';
import type { UrlOptions } from './url-values.ts';
import type { Template, Token } from './parse.ts';

/** Fills a URL; no value can change the origin, the scheme or the fixed part of the path (C-82, K-07). */
export function expandUrl(template: Template | string, scope: Scope, options: UrlOptions): string {
  const pieces = fillUrl(placeUrlParts(asTemplate(template, scope, options)), scope, options);
  checkUrl(pieces);
  return pieces.map((piece) => piece.shown).join('');
}

/** Where a URL will go and which tokens decide it, so that a host named by an argument can be put to the person first (K-61). */
export function urlPrefix(
  template: Template | string,
  scope: Scope,
  options: UrlOptions,
): { origin: string; tokens: Token[] } {
  const parsed = asTemplate(template, scope, options);
  const placed = placeUrlParts(parsed).filter((part) => part.position === 'base' || part.position === 'authority');
  const pieces = fillUrl(placed, scope, options);
  const tokens = placed.flatMap((part) => (part.kind === 'token' ? [part.token] : []));
  return { origin: fixedUrl(textAt(pieces, 'authority'), pieces).origin, tokens };
}
