import type { Token } from 'marked';
import { markdownBlocks, renderBlocks, type Look } from './render-markdown.ts';
import { screenText } from './terminal.ts';

/** Longer than any block a person would read; it is then shown as it is. */
const MAX_BLOCK = 100_000;
/** Nothing that follows a blank line belongs to these. */
const CLOSED: ReadonlySet<string> = new Set(['paragraph', 'heading', 'hr', 'table']);

/** Writes Markdown that comes in pieces: a block once it is whole, with a line between blocks. */
export function createMarkdownWriter(look: Look, write: (text: string) => void) {
  let pending = '';
  let hasWritten = false;
  const put = (tokens: readonly Token[]): void => {
    const lines = renderBlocks(tokens, look);
    if (lines.length === 0) return;
    write(`${hasWritten ? '\n' : ''}${lines.join('\n')}\n`);
    hasWritten = true;
  };
  return {
    add(text: string): void {
      pending += screenText(text);
      if (pending.length > MAX_BLOCK) {
        write(pending);
        pending = '';
      } else if (text.includes('\n')) {
        const tokens = markdownBlocks(pending);
        const whole = tokens.slice(0, countWhole(tokens));
        put(whole);
        pending = pending.slice(whole.reduce((sum, { raw }) => sum + raw.length, 0));
      }
    },
    /** Writes what is left; what comes then begins anew. */
    end(): void {
      put(markdownBlocks(pending));
      pending = '';
      hasWritten = false;
    },
  };
}

/** How many blocks no later piece can change: all before the last one, and that too where a blank line has ended it. */
function countWhole(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== 'space');
  const isEnded = CLOSED.has(tokens[last]?.type ?? '') && tokens.slice(last).some(({ raw }) => /\n\s*\n/.test(raw));
  return isEnded ? last + 1 : Math.max(0, last);
}
