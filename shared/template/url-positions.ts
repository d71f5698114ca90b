import { ForgeError } from '../errors.ts';
import type { Part, Template, Token } from './parse.ts';

/** A stretch of a URL; `authority` includes the scheme. */
export type UrlPosition = 'authority' | 'path' | 'query' | 'fragment';

export type PlacedPart =
  | { readonly kind: 'text'; readonly position: UrlPosition; readonly text: string }
  | { readonly kind: 'token'; readonly position: UrlPosition | 'base'; readonly token: Token };

const NEXT_POSITION = { authority: /[/\\?#]/, path: /[?#]/, query: /#/ } as const;

/** Says for each part of a URL template where it stands, from the template's own text alone; `base` is a token that starts it. */
export function placeUrlParts(template: Template): readonly PlacedPart[] {
  let placed = placedParts.get(template);
  if (placed === undefined) {
    placed = place(template);
    placedParts.set(template, placed);
  }
  return placed;
}

/** The same template always places its parts the same way. */
const placedParts = new WeakMap<Template, readonly PlacedPart[]>();

function place(template: Template): PlacedPart[] {
  const placed: PlacedPart[] = [];
  let position: UrlPosition | 'base' = 'base';
  for (const part of trimEnds(template.parts)) {
    if (part.kind === 'token') {
      placed.push({ kind: 'token', position, token: part.token });
      if (position === 'base') position = 'path';
      continue;
    }
    if (position === 'base') requireScheme(part.text, template);
    position = placeText(part.text, position, placed);
  }
  if (placed.length === 0) throw badStart(template);
  return placed;
}

/** Splits a text where the position changes, and returns the position at its end. */
function placeText(text: string, start: UrlPosition | 'base', placed: PlacedPart[]): UrlPosition {
  let position: UrlPosition = start === 'base' ? 'authority' : start;
  let from = 0;
  let searchFrom = start === 'base' ? text.indexOf('://') + 3 : 0;
  for (;;) {
    const end = positionEnd(text, position, searchFrom);
    if (end > from) placed.push({ kind: 'text', position, text: text.slice(from, end) });
    if (end === text.length) return position;
    position = text[end] === '?' ? 'query' : text[end] === '#' ? 'fragment' : 'path';
    from = end;
    searchFrom = end + 1;
  }
}

function positionEnd(text: string, position: UrlPosition, from: number): number {
  if (position === 'fragment') return text.length;
  const found = text.slice(from).search(NEXT_POSITION[position]);
  return found === -1 ? text.length : from + found;
}

/** A URL written as a YAML block ends in a line break that is not part of it. */
function trimEnds(parts: readonly Part[]): Part[] {
  return parts.flatMap((part, index): Part[] => {
    if (part.kind === 'token') return [part];
    let text = part.text;
    if (index === 0) text = text.trimStart();
    if (index === parts.length - 1) text = text.trimEnd();
    return text === '' ? [] : [{ kind: 'text', text }];
  });
}

function requireScheme(text: string, template: Template): void {
  if (!/^(?:https?|\*):\/\//i.test(text)) throw badStart(template);
}

function badStart(template: Template): ForgeError {
  return new ForgeError(
    'invalid_manifest',
    `The address "${template.source}" does not start with http://, https:// or a setting that holds a base URL.`,
    { hint: 'Start it with https:// or with {settings.base_url}.' },
  );
}
