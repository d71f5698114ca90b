import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from '../terminal.ts';
import { printValue } from './print-value.ts';

/** What is printed on both outputs: to a screen of that width, or to a file. */
function printed(value: unknown, columns?: number): { out: string; err: string } {
  const texts = { out: '', err: '' };
  const collector = (name: 'out' | 'err') =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(chunk: string, _encoding, done) {
          texts[name] += chunk;
          done();
        },
      }),
      { isTTY: columns !== undefined, columns },
    );
  const terminal = createTerminal({
    stdout: collector('out'),
    stderr: collector('err'),
    stdin: Readable.from([]),
    env: { NO_COLOR: '1' },
    signals: process,
    exit: () => undefined,
  });
  printValue(terminal, value);
  return texts;
}

describe('printValue', () => {
  it.each<[string, unknown, string]>([
    ['text', 'a\n  b\n', 'a\n  b\n'],
    ['text without an end', 'a', 'a\n'],
    ['a number', 12.5, '12.5\n'],
    ['false', false, 'false\n'],
    ['a list of plain values', ['a', 2, null, ['x']], 'a\n2\n\n["x"]\n'],
    ['objects', [{ a: 1 }, { b: { c: 2 } }], 'A  B\n1\n   {"c":2}\n'],
    ['mixed values', [{ a: 1 }, 2], '{"a":1}\n2\n'],
    ['an object', { id: 1, name: 'x', tags: [1], none: null }, 'id    1\nname  x\ntags  [1]\nnone\n'],
    ['an object with lists', { total: 1, rows: [{ a: 1 }] }, 'total  1\n\nrows\nA\n1\n'],
    ['an object that is a list', { rows: [{ a: 1 }] }, 'rows\nA\n1\n'],
    ['lines in an object', { id: 1, log: 'a\nb\n' }, 'id   1\nlog\na\nb\n'],
    ['what acts on a screen', { 'a\u001b[2J': '\u202e\u0007' }, 'a\uFFFD[2J  \uFFFD\uFFFD\n'],
    ['a key that is everywhere', [{ toString: 'own' }, {}], 'TOSTRING\nown\n\n'],
  ])('prints %s', (_title, value, out) => {
    expect(printed(value)).toEqual({ out, err: '' });
  });

  it.each<[unknown, string]>([
    [null, '(nothing came back)\n'],
    [undefined, '(nothing came back)\n'],
    [[], '(an empty list)\n'],
    [{}, '(an empty object)\n'],
  ])('says beside the output what %j is', (value, err) => {
    expect(printed(value)).toEqual({ out: '', err });
  });

  it('prints nothing for an empty text', () => {
    expect(printed('')).toEqual({ out: '', err: '' });
  });

  it('fits a table to the screen, and names what does not fit', () => {
    const row = Object.fromEntries(['id', 'title', 'body', 'url', 'user'].map((key) => [key, key.repeat(20)]));
    const { out, err } = printed([row], 40);
    const lines = out.trimEnd().split('\n');
    expect(lines).toEqual(['ID            TITLE         BODY', 'idididididi…  titletitlet…  bodybodybod…']);
    expect(lines.every((line) => line.length <= 40)).toBe(true);
    expect(err).toBe('(not shown: url, user; --json prints everything)\n');
  });

  it('shortens nested values to the screen, and text never', () => {
    const { out } = printed({ list: Array(50).fill(1), text: 'word '.repeat(20).trim() }, 40);
    const [list = '', text = ''] = out.split('\n');
    expect([list.length, list.endsWith('…')]).toEqual([40, true]);
    expect(text).toBe(`text  ${'word '.repeat(20).trim()}`);
  });

  it('shortens nothing for a file', () => {
    const long = 'x'.repeat(500);
    expect(printed([{ a: long, b: [long] }]).out).toContain(`${long}  ["${long}"]`);
  });
});
