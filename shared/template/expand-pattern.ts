import { fillPieces } from './expand-text.ts';
import { asTemplate, type ExpandOptions, type Scope } from './scope.ts';

/** Fills a regular expression: a value stands for itself, whatever signs it holds. */
export function expandPattern(template: string, scope: Scope, options: ExpandOptions): string {
  const pieces = fillPieces(asTemplate(template, scope, options), scope, options);
  return pieces.map(({ token, text }) => (token === null ? text : literal(text))).join('');
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
