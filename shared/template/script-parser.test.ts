import { describe, expect, it } from 'vitest';
import { parseProgram } from './script-parser.ts';

const parse = (text: string) => parseProgram(text, { ecmaVersion: 'latest', allowReturnOutsideFunction: true });

describe('parsing scripts', () => {
  it.each([
    ['a sum of 200 terms', `return ${'a+'.repeat(200)}a`],
    ['60 nested calls', `return ${'f('.repeat(60)}${')'.repeat(60)}`],
    ['100 else ifs', `${'if (a) b; else '.repeat(100)} c`],
    ['a list of 20,000 numbers', `return [${'1,'.repeat(20_000)}]`],
    ['5,000 lines', 'call(a.b, `x${y}`)\n'.repeat(5000)],
    ['a chain of 2,000 calls', `a${'.then(b)'.repeat(2000)}`],
  ])('accepts %s', (_title, text) => {
    expect(parse(text).type).toBe('Program');
  });

  it.each([
    '(',
    '[',
    '!',
    'a=>',
    'new ',
    'if(a)',
    '{',
    '`${',
    'a?b:',
    'a=',
    '+1+',
    'async()=>',
    'do ',
    'await ',
    'class A extends ',
    'let [',
    'a**',
  ])('answers 100,000 times %j with an error', (piece) => {
    expect(() => parse(piece.repeat(100_000))).toThrow(SyntaxError);
  });
});
