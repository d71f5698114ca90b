import { describe, expect, it } from 'vitest';
import { growth, LINEAR } from '../testing/processor-time.ts';
import { onlyToken, parseTemplate, tokensIn } from './parse.ts';

const NAMES = new Set(['base_url', 'site_url', 'max_polls']);

/** The tokens of a source as `root:path`. */
function found(source: string): string[] {
  return tokensIn(parseTemplate(source, NAMES)).map((token) => `${token.root}:${token.path.join('/')}`);
}

describe('tokens', () => {
  it.each([
    ['C-40 a setting', '{settings.token}', ['settings:token']],
    ['C-40 K-04 a bare declared setting', '{base_url}/x', ['bare:base_url']],
    ['C-41 an argument', '/x/{args.owner}/{args.repo}', ['args:owner', 'args:repo']],
    ['C-41 a nested argument', '{args.a.b.c}', ['args:a/b/c']],
    ['an index in brackets', '{args.items[0].id}', ['args:items/0/id']],
    ['an index with a dot', '{args.items.0.id}', ['args:items/0/id']],
    ['an index directly after the root', '{result[2]}', ['result:2']],
    ['a result and a poll', '{result.a.b} {poll.done}', ['result:a/b', 'poll:done']],
    ['K-04 a special bare name', '{poll.n}/{max_polls}', ['poll:n', 'bare:max_polls']],
    [
      'names with a dash, a dollar sign and other alphabets',
      '{args.x-y}{args.$top}{args.größe}',
      ['args:x-y', 'args:$top', 'args:größe'],
    ],
    ['a token inside a literal brace', '{"a":{args.n}}', ['args:n']],
    ['a token after a brace that opens nothing', '{{base_url}', ['bare:base_url']],
  ])('%s', (_, source, expected) => {
    expect(found(source)).toEqual(expected);
  });
});

describe('K-04 every other brace stays text', () => {
  it.each([
    '{}',
    '{',
    '}',
    '{unknown}',
    '{args}',
    '{args.}',
    '{args..a}',
    '{args.a',
    '{args.a }',
    '{ args.a}',
    '{args.a()}',
    '{args.a[}',
    '{args.a[x]}',
    '{args.a[]}',
    '{args.a[0}',
    '{Args.a}',
    '{other.a}',
    '{base_url.x}',
    '{settings .a}',
    'function () { return {a: 1}; }',
  ])('%s', (source) => {
    expect(parseTemplate(source, NAMES).parts).toEqual([{ kind: 'text', text: source }]);
  });
});

it('keeps source text and offsets of a token', () => {
  const source = 'a {args.b[1]} c';
  const [token] = tokensIn(parseTemplate(source, NAMES));
  expect(token).toEqual({ root: 'args', path: ['b', '1'], source: '{args.b[1]}', start: 2, end: 13 });
});

it('has no parts for an empty source', () => {
  expect(parseTemplate('', NAMES)).toEqual({ source: '', parts: [] });
});

it.each(['{args.__proto__}', '{settings.a.constructor.b}', '{result.prototype}'])('refuses %s', (source) => {
  expect(() => parseTemplate(source, NAMES)).toThrow(expect.objectContaining({ code: 'unsafe_value' }));
});

it.each([
  ['{args.a}', '{args.a}'],
  ['{args.a} ', undefined],
  ['{args.a}{args.b}', undefined],
  ['text', undefined],
])('onlyToken(%j)', (source, expected) => {
  expect(onlyToken(parseTemplate(source, NAMES))?.source).toBe(expected);
});

it.each<[string, (count: number) => string]>([
  ['open braces', (count) => '{'.repeat(count)],
  ['unfinished tokens', (count) => '{args.a'.repeat(count)],
  ['one long unfinished name', (count) => `{args.${'a'.repeat(count)}`],
  ['one long unfinished path', (count) => `{args${'.a'.repeat(count)}`],
  ['long unfinished brackets', (count) => `{args[${'0'.repeat(count)}`],
])('reads %s in linear time', (_, sourceOf) => {
  const workOf = (count: number) => {
    const source = sourceOf(count);
    return () => expect(parseTemplate(source, NAMES).parts).toHaveLength(1);
  };
  expect(growth(workOf, 250)).toBeLessThan(LINEAR);
});
