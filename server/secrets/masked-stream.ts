import type { Finder } from './finder.ts';
import { findSecrets, undecidedFrom } from './find-secrets.ts';
import { masked } from './mask.ts';
import { LINE_CHARS } from './unwrap-lines.ts';

export interface MaskedStream {
  push(text: string): string;
  /** What was held back last. */
  end(): string;
}

const LINE_ENDS = /[\n\r][^\n\r]*$/;
const WORD_ENDS = /\s\S*$/;

/**
 * A text that comes in parts. The last word of a part waits for the next, whatever it is: if only the beginnings of secrets waited,
 * whoever watches could find a secret letter by letter. The last line waits where a secret has spaces in it.
 */
export function maskedStream(finders: readonly Finder[]): MaskedStream {
  let held = '';
  // What has gone out last: whether a line is the continuation of another depends on that one.
  let before = '';
  const release = (all: string, cut: number): string => {
    const clean = masked(all, findSecrets(finders, all), before.length, cut);
    held = all.slice(cut);
    before = all.slice(0, cut).slice(-LINE_CHARS);
    return clean;
  };
  return {
    push: (text) => {
      const all = before + held + text;
      if (finders.every(({ isEmpty }) => isEmpty)) return release(all, all.length);
      return release(all, Math.max(cutOf(finders, all), before.length));
    },
    end: () => {
      const all = before + held;
      return release(all, all.length);
    },
  };
}

/** Up to where a text may go out. */
function cutOf(finders: readonly Finder[], all: string): number {
  const maxChars = Math.max(...finders.map((finder) => finder.maxChars));
  const tail = all.slice(-maxChars - 1);
  const at = tail.search(finders.some(({ hasSpaces }) => hasSpaces) ? LINE_ENDS : WORD_ENDS);
  // No secret is longer than what waits, so none begins before it and ends behind it.
  const isCutAnywhere = at === -1;
  let cut = isCutAnywhere ? Math.max(0, all.length - maxChars - 1) : all.length - tail.length + at + 1;
  if (!isCutAnywhere) cut = Math.min(cut, undecidedFrom(finders, all.slice(0, cut)));
  // What was found must stay in one piece.
  return findSecrets(finders, all).find(({ start, end }) => start < cut && cut < end)?.start ?? cut;
}
