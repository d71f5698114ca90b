import createDomPurify from 'dompurify';
import { Marked } from 'marked';

/** What a README may be made of. No image: the page loads nothing from elsewhere. No id, name or class: they could pass for ours. */
const ALLOWED = {
  ALLOWED_TAGS: [
    ...[
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'p',
      'br',
      'hr',
      'blockquote',
      'ul',
      'ol',
      'li',
      'a',
      'strong',
      'em',
      'del',
    ],
    ...['code', 'pre', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'title', 'align', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

/** The page has a title of its own, so a README's headings stand one level below it. */
const markdown = new Marked({
  gfm: true,
  async: false,
  // HTML in it is read as the words it is made of; a browser would try out its scripts and styles while it is cleaned.
  renderer: { html: ({ text }) => wordsOf(text) },
  walkTokens: (token) => {
    if (token.type === 'heading') token['depth'] = Math.min(6, Number(token['depth']) + 1);
  },
});

/** Markdown from somebody else as HTML that can do nothing but be read. */
export function renderMarkdown(text: string): string {
  const purify = createDomPurify(window);
  purify.addHook('afterSanitizeAttributes', (node) => {
    if (node.nodeName !== 'A') return;
    if (!node.hasAttribute('href')) return;
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  });
  const html = markdown.parse(text) as string; // not async, so it is text
  return purify.sanitize(html, ALLOWED);
}

function wordsOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');
}
