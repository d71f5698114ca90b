import { asTemplate, isEmpty, isSetting, lookUp, textOf } from './scope.ts';
import type { ExpandOptions, Scope } from './scope.ts';
import type { Template, Token } from './parse.ts';

/** One part of a template with its text filled in; `token` is null for the template's own text. */
export interface Piece {
  readonly token: Token | null;
  readonly text: string;
  readonly isEmpty: boolean;
}

/** Fills a template for people or for substring tests: messages, `on_target`, `login_redirect`. Missing values are nothing (W-13). */
export function expandText(template: Template | string, scope: Scope, options: ExpandOptions): string {
  return joinPieces(fillPieces(asTemplate(template, scope, options), scope, options));
}

/** Walks the parts once and fills each token; what comes out is never read as a template again. */
export function fillPieces(template: Template, scope: Scope, options: ExpandOptions): Piece[] {
  return template.parts.map((part, index) => {
    if (part.kind === 'text') return { token: null, text: part.text, isEmpty: false };
    const value = lookUp(scope, part.token);
    const text = textOf(value, part.token, options.secrets);
    const next = template.parts[index + 1];
    const meetsSlash = next?.kind === 'text' && next.text.startsWith('/');
    return {
      token: part.token,
      text: meetsSlash && isSetting(part.token) ? withoutTrailingSlash(text) : text,
      isEmpty: isEmpty(value),
    };
  });
}

export function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join('');
}

/** A saved address such as `https://host/` loses its last slash where the template goes on with one (W-17). */
export function withoutTrailingSlash(text: string): string {
  return /^https?:\/\//i.test(text) ? trimSlashes(text) : text;
}

export function trimSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
