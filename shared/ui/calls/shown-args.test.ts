import { describe, expect, it } from 'vitest';
import { shownArgs } from './shown-args.ts';

describe('the arguments in a question', () => {
  it.each([
    ['{"key":"ABC-12","n":3,"on":true,"none":null}', ['key: ABC-12', 'n: 3', 'on: true', 'none: null']],
    ['{"labels":["a","b"]}', ['labels: ["a","b"]']],
    ['{"text":"two\\nlines"}', ['text (block): two\nlines']],
    ['{"a\\u202eb":"safe\\u202egpj.exe\\u200b"}', ['a\\u202eb: safe\\u202egpj.exe\\u200b']],
    ['[1]', ['arguments: [1]']],
    ['not json', ['arguments: not json']],
    ['{}', []],
  ])('%s', (json, expected) => {
    expect(shownArgs(json).map(({ name, text, isBlock }) => `${name}${isBlock ? ' (block)' : ''}: ${text}`)).toEqual(
      expected,
    );
  });

  it('nothing is left out, however long', () => {
    const text = 'x'.repeat(10_000);
    expect(shownArgs(JSON.stringify({ text }))).toEqual([{ name: 'text', text, isBlock: true }]);
  });
});
