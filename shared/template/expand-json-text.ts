import { fillPieces } from './expand-text.ts';
import { lookUp, openValue } from './scope.ts';
import type { ExpandOptions, Scope } from './scope.ts';
import type { Part, Template } from './parse.ts';

/** Where a token stands in JSON that a manifest wrote out as text. */
type Place = 'in string' | 'as value';

/**
 * Fills a body that is JSON written as text, such as `{"query": "{args.q}"}`: a value inside a string is escaped and a value on
 * its own becomes a literal, so that no argument can add fields. Null when the text is not JSON.
 */
export function expandJsonText(template: Template, scope: Scope, options: ExpandOptions): string | null {
  const places = placeTokens(template.parts);
  const probe = template.parts.map((part, index) => {
    if (part.kind === 'text') return part.text;
    return places[index] === 'in string' ? 'x' : 'null';
  });
  if (!isJson(probe.join(''))) return null;
  const pieces = fillPieces(template, scope, options);
  return pieces
    .map((piece, index) => {
      if (!piece.token) return piece.text;
      if (places[index] === 'in string') return JSON.stringify(piece.text).slice(1, -1);
      return JSON.stringify(openValue(lookUp(scope, piece.token) ?? null, piece.token, options.secrets));
    })
    .join('');
}

function placeTokens(parts: readonly Part[]): (Place | null)[] {
  let inString = false;
  return parts.map((part) => {
    if (part.kind === 'token') return inString ? 'in string' : 'as value';
    for (let at = 0; at < part.text.length; at += 1) {
      if (inString && part.text[at] === '\\') at += 1;
      else if (part.text[at] === '"') inString = !inString;
    }
    return null;
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
