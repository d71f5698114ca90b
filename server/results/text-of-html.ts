const MAX_CHARS = 100_000;
const HIDDEN = /<(?:script|style|!--)/iy;
const END_OF_HIDDEN = /<\/(?:script|style)\b|-->/gi;

/** The words of a page, so that an error page can be read; scripts, styles and comments are none. */
export function textOfHtml(html: string): string {
  const page = html.slice(0, MAX_CHARS);
  const words: string[] = [];
  let at = 0;
  while (at < page.length) {
    const tag = page.indexOf('<', at);
    words.push(page.slice(at, tag === -1 ? page.length : tag));
    const end = tag === -1 ? -1 : page.indexOf('>', endOfHidden(page, tag));
    if (end === -1) break;
    at = end + 1;
  }
  return decodeEntities(words.join(' ')).replaceAll(/\s+/g, ' ').trim();
}

/** Where what begins at a tag ends; for a script or a comment that is not the next bracket. */
function endOfHidden(page: string, tag: number): number {
  HIDDEN.lastIndex = tag;
  if (!HIDDEN.test(page)) return tag;
  END_OF_HIDDEN.lastIndex = tag;
  return END_OF_HIDDEN.exec(page)?.index ?? page.length;
}

function decodeEntities(text: string): string {
  return text
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
