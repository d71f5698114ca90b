import { expect, it } from 'vitest';
import { cut, displayWidth, renderTable } from './table.ts';

const plain = { width: undefined, paint: (_style: string, text: string) => text };

it('aligns columns and ends lines without spaces', () => {
  const lines = renderTable(
    [{ title: 'id' }, { title: 'state' }, { title: '' }],
    [
      ['github', 'ready', ''],
      ['x', 'needs settings', 'why'],
    ],
    plain,
  );
  expect(lines).toEqual(['ID      STATE', 'github  ready', 'x       needs settings  why']);
});

it('cuts the flexible column so that no line is wider than the terminal', () => {
  const columns = [{ title: 'id' }, { title: 'description', flexible: true }, { title: 'n' }];
  const lines = renderTable(columns, [['github', 'a long description that goes on and on', '1']], {
    ...plain,
    width: 40,
  });
  expect(lines[1]).toBe('github  a long description that goes…  1');
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(40);
});

it('colours only the text, not the padding', () => {
  const lines = renderTable(
    [{ title: 'a' }, { title: 'b' }],
    [
      [{ text: 'x', style: 'red' }, 'y'],
      ['xxx', 'y'],
    ],
    {
      width: undefined,
      paint: (style, text) => `<${style}>${text}</>`,
    },
  );
  expect(lines[1]).toBe('<red>x</>    y');
});

it.each([
  ['abc', 3],
  ['日本', 4],
  ['🐙', 2],
  ['❤️', 2],
  ['é', 1],
  ['e\u0301', 1],
  ['👩‍👩‍👧', 2],
])('%s takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

it('cuts between characters, never through one', () => {
  expect(cut('🐙🐙🐙', 4)).toBe('🐙…');
});
