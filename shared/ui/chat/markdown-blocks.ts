import { lexer } from 'marked';
import { renderMarkdown } from '../connector/readme/render-markdown.ts';

/**
 * Makes a function that turns a growing text into sanitised HTML, block by block: what has not changed since the last time is the same
 * string, so that a page keeps what a person has selected in it.
 */
export function createBlockRenderer(): (text: string) => string[] {
  let known = new Map<string, string>();
  return (text) => {
    const tokens = lexer(text, { gfm: true });
    // Where links lead may be told at the end, for all blocks.
    const links = tokens.flatMap((token) => (token.type === 'def' ? [token.raw] : [])).join('\n');
    const next = new Map<string, string>();
    const blocks = tokens.flatMap((token) => {
      if (token.type === 'space' || token.type === 'def') return [];
      const source = links === '' ? token.raw : `${token.raw}\n\n${links}`;
      const html = known.get(source) ?? renderMarkdown(source);
      next.set(source, html);
      return [html];
    });
    known = next;
    return blocks;
  };
}
