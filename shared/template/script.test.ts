import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Secret } from '../secret.ts';
import { expandScript, inspectScript, parseScript } from './script.ts';
import type { Scope } from './scope.ts';

const NAMES = new Set(['base_url', 'site_url', 'username', 'my-name']);
const SCOPE: Scope = {
  settings: { base_url: 'https://h/', site_url: 'https://s', username: "O'Hara", limit: 7, 'my-name': 'n' },
  args: {
    x: 'v',
    n: 5,
    minus: -5,
    yes: true,
    list: [1, 'a'],
    o: { a: 1 },
    blank: '',
    tick: '`${1+1}`',
    end: '</script>',
    re: 'a.b-[c]/',
    '2fa': 't',
  },
};

function expand(source: string, scope: Scope = SCOPE): string {
  return expandScript(parseScript(source, NAMES), scope);
}

/** Runs a script as the body of a function, as the page would. */
function run(source: string, scope: Scope = SCOPE): unknown {
  const compiled: unknown = vm.runInThisContext(`(function (args, settings) {${expand(source, scope)}\n})`);
  return (compiled as (args: unknown, settings: unknown) => unknown)(scope.args, scope.settings); // the text above is a function
}

describe('strings', () => {
  it.each([
    ['C-42 K-05 an argument', `return '{args.x}'`, 'v'],
    ['W-16 a setting with a quote', `return '{settings.username}'`, "O'Hara"],
    ['W-16 a bare setting', `return "{username}!"`, "O'Hara!"],
    ['W-16 K-04 any declared setting bare', 'return `{site_url}/x`', 'https://s/x'],
    ['K-04 a bare name with a dash', `return '{my-name}'`, 'n'],
    [
      'W-17 a base URL with a trailing slash',
      `return '{base_url}/rest' + "{settings.base_url}/api"`,
      'https://h/resthttps://h/api',
    ],
    ['K-05 an interpolation in a value', 'return `<{args.tick}>`', '<`${1+1}`>'],
    ['K-05 a dollar sign before a brace of the script', 'return `{args.d}{x}`', '${x}'],
    ['K-05 text inside an interpolation', "return `a${'{args.x}' + 1}b`", 'av1b'],
    ['an object as JSON text', `return '{args.o}'`, '{"a":1}'],
    ['C-42 a missing argument as nothing', `return 'a{args.nope}b'`, 'ab'],
    ['a digit after an escape', `return '\\0{args.n}'`, '\u00005'],
    ['an escaped backslash before a token', `return '\\\\{args.x}'`, '\\v'],
    ['a string key', `return {'{args.x}': 1}.v`, 1],
    ['a tag in a value', `return '{args.end}'`, '</script>'],
  ])('%s', (_, source, expected) => {
    expect(run(source, { ...SCOPE, args: { ...(SCOPE.args as object), d: '$' } })).toBe(expected);
  });

  it('writes no < so that a value cannot end a script element', () => {
    expect(expand(`'{args.end}'; x = {args.end}`)).not.toContain('<');
  });
});

describe('regular expressions', () => {
  it.each([
    ['K-05 special characters', 'return /^{args.re}$/.test("a.b-[c]/")', true],
    ['K-05 special characters match nothing else', 'return /^{args.re}$/.test("axb-[c]/")', false],
    ['the flag u', 'return /^{args.re}$/u.test("a.b-[c]/")', true],
    ['a bare name under the flag u', 'return /^{username}$/u.test("O\'Hara")', true],
    ['a character class', 'return "x.-]y".replace(/[{args.re}]/g, "")', 'xy'],
    ['an empty value alone', 'return /{args.blank}/.test("x") // "', true],
    ['an empty value before a star', 'return String(/{args.blank}x*/)', '/(?:)x*/'],
    ['a number after a back reference', 'return /^(a)\\1{args.n}$/.test("aa5")', true],
    ['an escaped brace is left alone', 'return /^\\{args.x}$/.test("{" + "args.x}")', true],
  ])('%s', (_, source, expected) => {
    expect(run(source)).toBe(expected);
  });
});

describe('code', () => {
  it.each<[string, string, unknown]>([
    ['C-42 an argument', 'return {args.x}', 'v'],
    ['a number', 'const n = {args.n}; return n + 1', 6],
    ['a setting', 'return {settings.limit} / 7', 1],
    ['a negative number', 'return 1 -{args.minus}', 6],
    ['a number with a method', 'return {args.n}.toFixed(1)', '5.0'],
    ['a number directly after a word', 'return{args.n}', 5],
    ['a boolean', 'return !{args.yes}', false],
    ['a list', 'return {args.list}.length', 2],
    ['an object', 'return {args.o}', { a: 1 }],
    ['an object as the body of an arrow', 'return (() => {args.o})()', { a: 1 }],
    ['a missing value as null', 'return {args.nope}', null],
    ['a name that is no identifier', 'return {args.2fa}', 't'],
    ['inside an interpolation', 'return `${ {args.n} + 1 }`', '6'],
    ['a property key', 'return { {args.x}: 1 }.v', 1],
  ])('%s', (_, source, expected) => {
    expect(run(source)).toEqual(expected);
  });
});

describe('left alone', () => {
  it.each([
    ['K-05 W-16 an interpolation', 'return `/issue/${args.x}/${base_url}/${settings.a}`'],
    ['K-05 an interpolation in quotes', "return '${args.x}'"],
    ['K-04 a bare name as a shorthand', 'const base_url = 1; return {base_url}'],
    ['K-04 a bare name in a destructuring', 'const {base_url} = settings; return ({username}) => username'],
    ['K-04 a bare name as a block', 'if (a) {username} else {site_url}'],
    ['a comment', '// {args.x} {base_url}\n/* {settings.a} */ <!-- {args.x}'],
    ['W-16 other braces', "return '{x}' + `{ args.x }` + {a: {b: 1}}.a.b"],
    ['W-16 names that only watches have', "return '{result.a} {poll.b}'"],
    ['an escaped brace', "return '\\{args.x}'"],
    [
      'the JIRA sample',
      'const r = await fetch(`/rest/api/2/issue/${args.issue_key}/comment`, { method: "POST" });\nif (!r.ok) return { _error: `HTTP ${r.status}` };',
    ],
    ['a forbidden name in an interpolation', 'return `${args.constructor}`'],
  ])('%s', (_, source) => {
    const script = parseScript(source, NAMES);
    expect(script.tokens).toEqual([]);
    expect(expandScript(script, SCOPE)).toBe(source);
  });
});

describe('secrets', () => {
  const scope = { settings: { token: new Secret('hunter2'), row: { k: new Secret('hunter2') } } };

  it.each([
    `'{settings.token}'`,
    '`{settings.token}`',
    '{settings.token}',
    '/{settings.token}/',
    '{settings.row}',
    `'{settings.row}'`,
  ])('K-05 are refused in %s', (source) => {
    expect(() => expand(source, scope)).toThrow(expect.objectContaining({ code: 'secret_not_allowed_here' }));
  });

  it('K-05 are found by whoever checks the manifest', () => {
    expect(parseScript(`'{settings.token}' // {settings.other}`, NAMES).tokens.map((token) => token.source)).toEqual([
      '{settings.token}',
    ]);
  });
});

describe('names', () => {
  it('refuses one that reaches a prototype', () => {
    expect(() => parseScript(`'{args.constructor}'`, NAMES)).toThrow(expect.objectContaining({ code: 'unsafe_value' }));
  });

  it('does not mix up a name of the script with its own', () => {
    expect(run(`const forge_0_0_ = 1, forge_1_ = 2; return '{args.x}' + forge_0_0_`)).toBe('v1');
  });

  it('refuses a script that does not parse instead of guessing', () => {
    expect(() => parseScript(`x = '{args.x}`, NAMES)).toThrow(
      expect.objectContaining({ code: 'invalid_manifest', message: expect.stringContaining('line 1') as unknown }),
    );
  });

  it('takes a script without tokens as it is', () => {
    expect(expand('not js at all {')).toBe('not js at all {');
  });
});

describe('inspectScript: problem', () => {
  it.each([
    ['C-50 return and await', 'const r = await fetch("/x");\nreturn r.json();'],
    [
      'C-42 tokens in all places',
      "const a = {args.x}, b = '{args.x}', c = /{args.x}/; if (a) {base_url} else {username}",
    ],
    ['an empty script', ''],
  ])('accepts %s', (_, source) => {
    expect(inspectScript(source, NAMES).problem).toBeNull();
  });

  it.each([
    ['the first line', 'return )', 1, 8],
    ['another line', 'let a;\n  let a;', 2, 7],
    ['behind a short token', "f({args.x}, '{args.x}') )", 1, 25],
    ['behind a long token', 'f({args.a_name_that_is_longer_than_any_placeholder}) )', 1, 54],
    ['behind a bare token', 'const {base_url} = 1, = 2', 1, 23],
    ['on the line after tokens', "'{args.x}';\n\n )", 3, 2],
    ['C-47 an import', "import x from 'y';", 1, 1],
    ['C-47 an export', '\nexport const a = 1;', 2, 1],
    ['await inside an ordinary function', 'function f() { await x; }', 1, 22],
  ])('finds an error: %s', (_, source, line, column) => {
    expect(inspectScript(source, NAMES).problem).toMatchObject({ line, column });
  });

  it('speaks of tokens as they are written', () => {
    const problem = inspectScript('let {args.x};\nlet a = 1, a = 2', NAMES).problem;
    expect(problem?.message).toMatch(/'a' has already been declared/);
    expect(inspectScript('x => { let {args.x}, y; let y }', NAMES).problem?.message).not.toContain('forge_');
  });

  it('says so when a script is nested too deeply', () => {
    expect(inspectScript('('.repeat(200_000), NAMES).problem).toMatchObject({ message: expect.any(String) as unknown });
  });
});

describe('inspectScript: references', () => {
  it.each([
    ['C-47 require', "const a = 1;\n  require('fs')", [{ name: 'require', line: 2, column: 3 }]],
    ['C-47 a dynamic import', "const a = await import('x')", [{ name: 'import', line: 1, column: 17 }]],
    ['C-45 what a page has', 'new URL(document.title, await fetch("/x", { headers: new Headers() }).url)', []],
    ['C-51 chrome', 'chrome.runtime.sendMessage(1)', [{ name: 'chrome', line: 1, column: 1 }]],
    ['C-51 browser', 'return typeof browser', [{ name: 'browser', line: 1, column: 15 }]],
    ['C-51 a shorthand', 'f({ chrome })', [{ name: 'chrome', line: 1, column: 5 }]],
    [
      'C-51 behind a token',
      "f('{args.a_long_name_for_an_argument}', chrome)",
      [{ name: 'chrome', line: 1, column: 41 }],
    ],
    [
      'two in order',
      'chrome.a; require("b")',
      [
        { name: 'chrome', line: 1, column: 1 },
        { name: 'require', line: 1, column: 11 },
      ],
    ],
    ['a property of that name', 'x.chrome; x.require("a"); ({ browser: 1 }); class A { chrome() {} }', []],
    ['a name of its own', 'const { a: [chrome = 1], ...browser } = x; f(chrome, browser)', []],
    ['a parameter', '((browser) => browser.x)(1); function require() {} require()', []],
    ['a caught error and a label', 'try {} catch (chrome) { chrome } browser: for (;;) break browser', []],
    ['text', '"chrome.x" + `require()` // import()', []],
    ['a script that does not parse', 'chrome. (', []],
  ])('%s', (_, source, expected) => {
    expect(inspectScript(source).references).toEqual(expected);
  });
});
