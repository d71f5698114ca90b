import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isForgeError } from '../errors.ts';
import { Secret } from '../secret.ts';
import { expandArgv } from './expand-argv.ts';
import { expandForm } from './expand-form.ts';
import { expandHeaders } from './expand-header.ts';
import { expandBody, expandJson } from './expand-json.ts';
import { appendQuery, expandQuery } from './expand-query.ts';
import { expandText } from './expand-text.ts';
import { expandUrl } from './expand-url.ts';
import { expandHostMatch } from './host-match.ts';
import { parseTemplate } from './parse.ts';
import { expandScript, inspectScript, parseScript } from './script.ts';
import { rounds } from '../testing/rounds.ts';

const RUNS = { numRuns: rounds(10_000) };
const TIMEOUT_MS = 120_000;
const REVEAL = { secrets: 'reveal' } as const;
const SECRET = 'S3CR3T-VALUE';
const NAMES = new Set(['base_url', 'token']);

const FRAGMENTS = [
  '{settings.token}',
  '{token}',
  '{args.v}',
  '${args.v}',
  '{base_url}',
  '{',
  '}',
  '${',
  '../',
  '..',
  '.',
  '/',
  '//',
  '\\',
  '%2e',
  '%2E%2e',
  '%252e',
  '%2f',
  '%5c',
  '%',
  '@',
  ':',
  '?',
  '#',
  '&',
  '=',
  ';',
  ' ',
  '\r\n',
  '\n',
  '\0',
  '\t',
  '\u0085',
  '\u2028',
  '\u2029',
  '\ud800',
  '\udc00',
  '😀',
  'é',
  '漢',
  "'",
  '"',
  '`',
  '$',
  '<',
  '</script>',
  '<!--',
  '-->',
  '*/',
  '//',
  '-',
  '--x',
  '[',
  ']',
  'evil.com',
  '＊',
  '%2a',
  '。',
  '／',
  '＠',
  'https://evil.com',
  ':80',
  '0',
  '\\u0041',
  'constructor',
  '__proto__',
];

/** Hostile text: pieces that mean something somewhere, mixed with any characters, whole or torn. */
const hostile = fc.oneof(
  fc
    .array(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...FRAGMENTS) }, fc.string({ unit: 'binary', maxLength: 4 })),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
  fc.string({ maxLength: 12 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((units) => String.fromCharCode(...units)),
);

/** The result, or null for a refusal; anything but a Forge error fails the property. */
function attempt<Result>(action: () => Result): Result | null {
  try {
    return action();
  } catch (error) {
    if (isForgeError(error)) return null;
    throw error;
  }
}

function property(title: string, check: (value: string, second: string) => void): void {
  it(title, { timeout: TIMEOUT_MS }, () => {
    fc.assert(fc.property(hostile, hostile, check), RUNS);
  });
}

function scopeOf(value: string, second = ''): { args: Record<string, unknown>; settings: Record<string, unknown> } {
  return { args: { v: value, w: second }, settings: { token: new Secret(SECRET), base_url: 'https://host.example/p' } };
}

describe('parsing', () => {
  property('never fails with anything but a Forge error, and loses nothing', (first, second) => {
    const source = `${first}{args.v}${second}`;
    const template = attempt(() => parseTemplate(source, NAMES));
    if (!template) return;
    expect(template.parts.map((part) => (part.kind === 'text' ? part.text : part.token.source)).join('')).toBe(source);
    for (const part of template.parts) {
      if (part.kind === 'token') expect(source.slice(part.token.start, part.token.end)).toBe(part.token.source);
    }
  });

  property(
    'of a script never fails with anything but a Forge error, and changes nothing but its tokens',
    (first, second) => {
      const source = `${first}\n'{args.v}'\n${second}`;
      attempt(() => inspectScript(source, NAMES));
      const script = attempt(() => parseScript(source, NAMES));
      if (!script) return;
      let expected = source;
      for (const token of script.tokens.toReversed())
        expected = expected.slice(0, token.start) + expected.slice(token.end);
      const blank = { settings: {}, args: {} };
      const inCode = script.slots.some((slot) => slot.place !== 'string');
      if (!inCode) expect(expandScript(script, blank)).toBe(expected);
    },
  );
});

describe('a value is never read as a template', () => {
  property('in text, JSON, forms, queries and argv it comes out as it went in', (value) => {
    const scope = scopeOf(value);
    expect(expandText('<{args.v}>', scope, REVEAL)).toBe(`<${value}>`);
    expect(expandJson({ a: '{args.v}', b: ['x{args.v}'] }, scope, REVEAL)).toEqual({ a: value, b: [`x${value}`] });
    const form = attempt(() => expandForm({ a: '{args.v}', b: 'x{args.v}' }, scope, REVEAL));
    if (form)
      expect(form).toEqual([
        ['a', value],
        ['b', `x${value}`],
      ]);
    const query = expandQuery({ a: '{args.v}', b: 'x{args.v}' }, scope, REVEAL);
    expect(query).toEqual(
      value === ''
        ? []
        : [
            ['a', value],
            ['b', `x${value}`],
          ],
    );
    const argv = attempt(() => expandArgv(['p', 'x{args.v}'], scope, REVEAL));
    if (argv) expect(argv).toEqual(['p', `x${value}`]);
  });

  property('no place ever gives away a secret that only a value names', (value, second) => {
    const scope = scopeOf(`${value}{settings.token}${second}`);
    const outputs: (() => unknown)[] = [
      () => expandText('{args.v}', scope, REVEAL),
      () => expandUrl('{base_url}/{args.v}?q={args.v}#{args.v}', scope, REVEAL),
      () => expandUrl('https://{args.v}/', scope, REVEAL),
      () => expandHeaders({ A: '{args.v}' }, scope, REVEAL),
      () => expandBody('{args.v}', scope, REVEAL),
      () => expandBody('{"a":"{args.v}"}', scope, REVEAL),
      () => expandForm('{args.v}', scope, REVEAL),
      () => expandForm({ a: '{args.v}' }, scope, REVEAL),
      () => expandQuery({ a: '{args.v}' }, scope, REVEAL),
      () => expandArgv(['p', '{args.v}'], scope, REVEAL),
    ];
    for (const output of outputs) expect(JSON.stringify(attempt(output))).not.toContain(SECRET);
  });
});

describe('a URL', () => {
  const encodings = { v: 'none', w: 'path_segments' } as const;

  property('keeps its origin and the path before the first argument', (value, second) => {
    const scope = { ...scopeOf(value, second), args: { v: value, w: second, c: value } };
    for (const template of [
      '{base_url}/a/{args.v}/b/{args.w}',
      'https://host.example/p/a/{args.c}{args.v}?q={args.w}#{args.v}',
      '{base_url}/a/{args.w}.json',
    ]) {
      const url = attempt(() => expandUrl(template, scope, { ...REVEAL, encodings }));
      if (url === null) continue;
      const parsed = new URL(url);
      expect(parsed.origin).toBe('https://host.example');
      expect(parsed.username + parsed.password).toBe('');
      expect(parsed.pathname.startsWith('/p/a/')).toBe(true);
      expect(decodeTwice(parsed.pathname).split(/[/\\]/)).not.toContain('..');
      expect(url.startsWith('https://host.example/p/a/')).toBe(true);
    }
  });

  property('gets from an argument a host or nothing', (value, second) => {
    for (const template of [
      'https://{args.v}/p/',
      'https://{args.v}.example/p/{args.w}',
      'https://host.example:{args.v}/p/{args.w}',
    ]) {
      const url = attempt(() => expandUrl(template, scopeOf(value, second), REVEAL));
      if (url === null) continue;
      expect(value).toMatch(/^[\w.:[\]-]+$/);
      expect(new URL(url).pathname.startsWith('/p/')).toBe(true);
      expect(new URL(url).username).toBe('');
    }
  });

  property('keeps what a setting may be as a base to http, without user info', (value, second) => {
    const scope = { settings: { base_url: `https://${value}`, token: second }, args: {} };
    const url = attempt(() => expandUrl('{base_url}/x/{token}/y', scope, REVEAL));
    if (url !== null) expect(new URL(url)).toMatchObject({ protocol: 'https:', username: '', password: '' });
    const pattern = attempt(() => expandHostMatch('{base_url}/*', scope));
    if (pattern !== null) expect(pattern).toMatch(/^https:\/\/[^/*@\s]+\/[^*]*\*$/);
  });

  property('takes a query whose entries come back unchanged', (value, second) => {
    const entries = [
      ['k', value],
      [second, 'x'],
    ] as const;
    const url = attempt(() => appendQuery('https://host.example/p?a=1#f', entries));
    if (url === null) return;
    const parsed = new URL(url);
    expect([...parsed.searchParams]).toEqual([['a', '1'], ...entries]);
    expect(parsed.hash).toBe('#f');
  });
});

describe('counts', () => {
  property('argv keeps its length, but for what is left out', (value, second) => {
    const command = ['p', '{args.v}', '-o{args.v}', '{args.v}{args.w}', '{args.none}', 'x'];
    const argv = attempt(() => expandArgv(command, scopeOf(value, second), REVEAL));
    if (argv === null) return;
    expect(argv).toHaveLength(command.length - 1);
    expect(argv.join('')).not.toContain('\0');
    expect(argv[1]?.startsWith('-')).toBe(false);
    expect(argv[3]?.startsWith('-')).toBe(false);
  });

  property('headers never become more and never hold a line break', (value, second) => {
    const headers = { A: '{args.v}', B: 'Bearer {args.w}', C: 'fixed' };
    const filled = attempt(() => expandHeaders(headers, scopeOf(value, second), REVEAL));
    if (filled === null) return;
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(Object.keys(filled)));
    // Fetch's own check is the judge.
    expect([...new Headers(filled)].length).toBe(Object.keys(filled).length);
    expect(Object.values(filled).join('')).not.toMatch(/[\r\n\0]/);
  });

  property('query keys are those of the manifest', (value, second) => {
    const args = { v: [value, second], w: { [value]: second } };
    const entries =
      attempt(() => expandQuery({ a: '{args.v}', b: '{args.w}', c: 'x{args.v}' }, { args }, REVEAL)) ?? [];
    expect(entries.length).toBeLessThanOrEqual(4);
    for (const [key] of entries) expect(['a', 'b', 'c']).toContain(key);
  });

  property('JSON written as text keeps its shape', (value, second) => {
    const body = expandBody('{"a":"<{args.v}>","b":{args.w},"c":1}', scopeOf(value, second), REVEAL);
    expect(body?.kind === 'raw' && (JSON.parse(body.text) as unknown)).toEqual({ a: `<${value}>`, b: second, c: 1 });
  });
});

describe('a script', () => {
  const SOURCE = [
    `const single = '({args.v}{args.w})';`,
    `const double = "({args.v})";`,
    'const template = `({args.v}{x}${"{args.w}"})`;',
    'const code = [{args.v}, {args.w}];',
    'const pattern = /^{args.v}$/; const unicode = /^x{args.v}$/u; const sets = /^[{args.w}x]$/v;',
    'return JSON.stringify([single, double, template, code, pattern.test(args.v), unicode.test("x" + args.v), sets.test("x")]);',
  ].join('\n');
  const script = parseScript(SOURCE, NAMES);

  property('K-05 gives back exactly the text that went in, from every kind of literal', (value, second) => {
    const filled = expandScript(script, scopeOf(value, second));
    const result: unknown = vm.runInThisContext(`(function (args) {${filled}\n})(${JSON.stringify({ v: value })})`);
    const expected = [`(${value}${second})`, `(${value})`, `(${value}{x}${second})`, [value, second], true, true, true];
    expect(JSON.parse(String(result))).toEqual(expected);
    expect(filled).not.toContain('<');
  });

  it('K-05 gives back whole JSON values in code', { timeout: TIMEOUT_MS }, () => {
    const parsed = parseScript('({args.v})', NAMES);
    const context = vm.createContext({});
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const filled = attempt(() => expandScript(parsed, { args: { v: value } }));
        if (filled === null) return;
        expect(JSON.stringify(vm.runInContext(filled, context))).toBe(JSON.stringify(value));
      }),
      RUNS,
    );
  });
});

function decodeTwice(text: string): string {
  const decode = (input: string): string =>
    input.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return decode(decode(text));
}
