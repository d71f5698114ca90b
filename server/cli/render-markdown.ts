import { lexer, type Token, type Tokens } from 'marked';
import { renderTable } from './table.ts';
import { safeLine, safeText, type Style, type Terminal } from './terminal.ts';

/** How text looks on this terminal. */
export type Look = Pick<Terminal, 'paint' | 'width'>;

type Paint = (text: string) => string;

const RULE_WIDTH = 40;
/** The characters that Markdown cannot do without; a number could be that of a control character. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The blocks of a Markdown text; joined, their `raw` is the text again. */
export function markdownBlocks(text: string): Token[] {
  return lexer(text, { gfm: true });
}

/** One block as lines for a terminal. Only what is painted here can change how the terminal looks. */
function renderBlock(token: Token, look: Look): string[] {
  const paint =
    (style: Style): Paint =>
    (text) =>
      look.paint(style, text);
  const block = token as MarkdownToken; // the lexer knows no others without extensions
  switch (block.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return lines(inline(block.tokens, look, paint('bold')));
    case 'code':
      return lines(safeText(block.text)).map((line) => (line === '' ? '' : `  ${look.paint('cyan', line)}`));
    case 'hr':
      return [look.paint('dim', '─'.repeat(Math.min(look.width ?? RULE_WIDTH, RULE_WIDTH)))];
    case 'blockquote':
      return renderBlocks(block.tokens, look).map((line) => `${look.paint('dim', '│')} ${line}`);
    case 'list':
      return renderList(block, look);
    case 'table':
      return renderRows(block, look);
    case 'paragraph':
    case 'text':
      return lines(block.tokens === undefined ? leaf(block.text) : inline(block.tokens, look, leaf));
    default:
      return lines(safeText(token.raw.trimEnd()));
  }
}

/** Blocks below each other, with a line between them. */
export function renderBlocks(tokens: readonly Token[], look: Look, gap = true): string[] {
  const blocks = tokens.map((token) => renderBlock(token, look)).filter((block) => block.length > 0);
  return blocks.flatMap((block, index) => (index > 0 && gap ? ['', ...block] : block));
}

type MarkdownToken =
  | Tokens.Space
  | Tokens.Def
  | Tokens.Heading
  | Tokens.Code
  | Tokens.Hr
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Paragraph
  | Tokens.Text;

type InlineToken =
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image
  | Tokens.Text
  | Tokens.Escape
  | (Tokens.Generic & { type: 'checkbox' });

function renderList({ items, ordered, start, loose }: Tokens.List, look: Look): string[] {
  return items.flatMap((item, index) => {
    const mark = ordered ? `${(start === '' ? 1 : start) + index}. ` : '• ';
    const below = ' '.repeat(mark.length);
    const shown = renderBlocks(joinCheckbox(item.tokens), look, item.loose);
    const text = shown.map((line, row) => (row === 0 ? mark + line : line === '' ? '' : below + line));
    return loose && index > 0 ? ['', ...text] : text;
  });
}

/** The box of a task stands in front of the text of its item. */
function joinCheckbox(tokens: readonly Token[]): Token[] {
  const [box, first, ...rest] = tokens;
  if (box?.type !== 'checkbox' || first === undefined) return [...tokens];
  const inner = 'tokens' in first ? first.tokens : [];
  return [{ ...first, tokens: [box, ...inner] }, ...rest];
}

function renderRows({ header, rows }: Tokens.Table, look: Look): string[] {
  const textOf = ({ tokens }: Tokens.TableCell): string => safeLine(inline(tokens, { ...look, paint: plain }, leaf));
  return renderTable(
    // A long line wraps: cutting a column would lose a part of the answer.
    header.map((cell) => ({ title: textOf(cell), asWritten: true })),
    rows.map((row) => row.map(textOf)),
    look,
  );
}

/** Each piece is painted by itself: the end of one style would end those around it. */
function inline(tokens: readonly Token[], look: Look, paint: Paint): string {
  const inside = (style: Style, below: readonly Token[]): string =>
    inline(below, look, (text) => look.paint(style, paint(text)));
  return tokens
    .map((token) => {
      const piece = token as InlineToken; // as above
      switch (piece.type) {
        case 'strong':
          return inside('bold', piece.tokens);
        case 'em':
          return inside('italic', piece.tokens);
        case 'del':
          return inside('dim', piece.tokens);
        case 'codespan':
          return look.paint('cyan', paint(decoded(piece.text)));
        case 'br':
          return '\n';
        case 'link':
          return linkText(inside('underline', piece.tokens), piece, look);
        case 'image':
          return linkText(paint(decoded(piece.text)), piece, look);
        case 'checkbox':
          return piece['checked'] === true ? '☑ ' : '☐ ';
        case 'text':
        case 'escape':
          return 'tokens' in piece ? inline(piece.tokens, look, paint) : paint(decoded(piece.text));
        default:
          return paint(safeText(token.raw));
      }
    })
    .join('');
}

/** Where a link leads is always shown, so that its words cannot hide it. */
function linkText(shown: string, { href, text }: { href: string; text: string }, look: Look): string {
  return href === text ? shown : `${shown} ${look.paint('dim', `(${safeLine(href)})`)}`;
}

const plain: Look['paint'] = (_style, text) => text;
const leaf: Paint = (text) => safeText(text);
const decoded = (text: string): string =>
  safeText(text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole));

function lines(text: string): string[] {
  return text.split('\n');
}
