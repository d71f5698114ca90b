import { describe, expect, it } from 'vitest';
import { createMarkdownWriter } from './markdown-writer.ts';
import { markdownBlocks, renderBlocks, type Look } from './render-markdown.ts';

/** Styles as tags, so that a test can be read. */
const LOOK: Look = { paint: (style, text) => `<${style}>${text}</>`, width: 80 };
const shown = (text: string): string => renderBlocks(markdownBlocks(text), LOOK).join('\n');

describe('Markdown on a terminal', () => {
  it.each([
    ['Some **bold**, *leaning* and `code`.', 'Some <bold>bold</>, <italic>leaning</> and <cyan>code</>.'],
    ['## What *now*', '<bold>What </><italic><bold>now</></>'],
    ['one\ntwo  \nthree', 'one\ntwo\nthree'],
    ['a\n\n\n\nb', 'a\n\nb'],
    ['- a **b**\n  1. c\n  2. d\n- e', '• a <bold>b</>\n  1. c\n  2. d\n• e'],
    ['3. a\n4. b', '3. a\n4. b'],
    ['- [x] done\n- [ ] open', '• ☑ done\n• ☐ open'],
    ['```js\nif (a) {\n\n  b\n}\n```', '  <cyan>if (a) {</>\n\n  <cyan>  b</>\n  <cyan>}</>'],
    ['> said\n> so', '<dim>│</> said\n<dim>│</> so'],
    ['[Forge](https://forge.test/a)', '<underline>Forge</> <dim>(https://forge.test/a)</>'],
    ['https://forge.test/a', '<underline>https://forge.test/a</>'],
    ['![a cat](https://cats.test/1.png)', 'a cat <dim>(https://cats.test/1.png)</>'],
    ['a < b && c &lt; d \\* e', 'a < b && c < d * e'],
    ['<b>not bold</b>', '<b>not bold</b>'],
    ['---', `<dim>${'─'.repeat(40)}</>`],
  ])('shows %j', (text, wanted) => expect(shown(text)).toBe(wanted));

  it('shows a table in columns', () => {
    const table = shown('| Key | Title |\n|---|---|\n| ABC-1 | **The** export |\n| B-2 | x |');
    expect(table).toMatch(/ABC-1\s+The export\n.*B-2\s+x/s);
    expect(table).not.toContain('|');
  });

  it('shows a table with its headings as they are written, and all of its cells', () => {
    const long = 'x'.repeat(100);
    const table = shown(`| iOS version key | b |\n|---|---|\n| a long key of a row | ${long} |`);
    for (const words of ['iOS version key', 'a long key of a row', long]) expect(table).toContain(words);
  });

  it.each([
    ['a sequence', 'a\u001b[31mb\u001b]0;title\u0007', /\u001b|\u0007/],
    ['an entity', '&#27;[31m&#x1b;[0m', /\u001b/],
    ['a link', '[x](https://a.test/\u009b31m\u202e)', /\u009b|\u202e/],
    ['code', '`\u001b[2J`\n\n```\n\u001b[2J\n```', /\u001b/],
    ['a table', '|\u001b[2J|\n|-|\n|\u001b[2J|', /\u001b/],
    ['HTML', '<x \u001b[2J>', /\u001b/],
  ])('lets no control characters through in %s', (_title, text, hostile) => {
    let written = '';
    const writer = createMarkdownWriter(LOOK, (more) => (written += more));
    writer.add(text);
    writer.end();
    expect(written).not.toBe('');
    expect(written).not.toMatch(hostile);
    expect(shown(text)).not.toMatch(hostile);
  });
});

describe('Markdown that comes in pieces', () => {
  const TEXT = 'First **one**.\n\n- a\n- b\n\n  more\n\n```\nx\n\ny\n```\n\nLast.';

  it.each([1, 3, 7, 1000])('is written block by block, the same whatever the pieces are (%i)', (size) => {
    const written: string[] = [];
    const writer = createMarkdownWriter(LOOK, (text) => written.push(text));
    for (let at = 0; at < TEXT.length; at += size) writer.add(TEXT.slice(at, at + size));
    const before = written.join('');
    writer.end();
    expect(written.join('')).toBe(`${shown(TEXT)}\n`);
    expect(before).toContain('First <bold>one</>.\n');
    expect(before).not.toContain('Last.');
  });

  it('begins anew after its end', () => {
    let written = '';
    const writer = createMarkdownWriter(LOOK, (text) => (written += text));
    writer.add('a');
    writer.end();
    writer.end();
    writer.add('b');
    writer.end();
    expect(written).toBe('a\nb\n');
  });
});
