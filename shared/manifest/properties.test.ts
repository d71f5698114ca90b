import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../testing/processor-time.ts';
import { lintManifest } from './lint.ts';
import { readYaml } from './yaml.ts';
import { rounds } from '../testing/rounds.ts';

const RUNS = rounds(10_000);
const MAX_MS = 5000;
const lint = (text: string) => lintManifest(text, { forgeVersion: '1.0.0' });

const WORDS = [
  'id',
  'name',
  'version',
  'tools',
  'connectors',
  'settings',
  'type',
  'secret',
  'instances',
  'fields',
  'protocol',
  'http',
  'shell',
  'browser',
  'ssh',
  'request',
  'url',
  'headers',
  'body_form',
  'script',
  'page',
  'auth',
  'bearer-token-exchange',
  'async',
  'poll',
  'test',
  'probe',
  'parameters',
  'default',
  'options',
  'select',
  '{settings.a}',
  '{args.b}',
  '{args.constructor}',
  "'{settings.__proto__}'",
  '{a}',
  '${args.x}',
  'https://a.test/{args.b}',
  'return 1',
  'const x = `{a}`;',
  '../..',
  '__proto__',
  'constructor',
  '\0',
  '\uFEFF',
  '\u2028',
  '\uD800',
  '&a',
  '*a',
  '!!binary',
  '|',
  '>',
  '- ',
  ': ',
  '\n',
  '\n  ',
  '\t',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '#',
  '%2e',
];
const soup = fc
  .array(fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 60 })
  .map((parts) => parts.join(''));

/** Documents of roughly the right shape, so that the rules behind the schema are reached too. */
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...WORDS),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom(...WORDS.slice(0, 33)), tie('any'), { maxKeys: 6 }),
})).any;
const tool = fc.record(
  {
    protocol: fc.constantFrom('http', 'shell', 'browser', 'ssh'),
    description: fc.string(),
    script: soup,
    request: fc.record({ url: soup }),
    command: fc.array(soup),
    parameters: value,
    auth: value,
    async: value,
    page: value,
    extra: value,
  },
  { requiredKeys: [] },
);
const shaped = fc.record(
  {
    id: fc.constantFrom('a', 'b-c', 'CON', '../x'),
    name: fc.string(),
    version: fc.constantFrom('1.0.0', '1', 'x'),
    settings: value,
    auth: value,
    test: value,
    host_match: soup,
    connectors: value,
    tools: fc.dictionary(fc.constantFrom('t', 'u', 'a b'), tool),
  },
  { requiredKeys: ['id', 'name', 'version'] },
);

describe('hostile manifests', () => {
  it('the linter never throws on any text', () => {
    fc.assert(
      fc.property(soup, (text) => Array.isArray(lint(text).diagnostics)),
      { numRuns: RUNS / 2 },
    );
  });

  it('the linter never throws on any document, and finds a reason whenever it refuses one', () => {
    fc.assert(
      fc.property(shaped, (document) => {
        const report = lint(JSON.stringify(document));
        if (report.package === null) expect(report.diagnostics.some(({ severity }) => severity === 'error')).toBe(true);
        for (const { line, column } of report.diagnostics) expect(line > 0 && column > 0).toBe(true);
      }),
      { numRuns: RUNS / 2 },
    );
  });

  it('reading YAML never gives an object with a foreign prototype', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const result = readYaml(text);
        if (result.ok && typeof result.document.value === 'object' && result.document.value !== null) {
          expect(Object.hasOwn(result.document.value, '__proto__')).toBe(false);
        }
      }),
      { numRuns: RUNS / 5 },
    );
  });
});

describe('large manifests: each is answered, in seconds and 200 MB at the most', () => {
  const line = (text: string, count: number) => text.repeat(count);
  const numbered = (count: number, entry: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => entry(index)).join('');
  const head = 'id: a\nname: A\nversion: "1.0.0"\n';
  const table: [title: string, text: () => string][] = [
    ['half a megabyte of letters', () => line('a', 500_000)],
    [
      'half a megabyte of braces in a template',
      () => `${head}tools:\n  t: { protocol: http, request: { url: "https://a/${line('{args.', 80_000)}" } }\n`,
    ],
    ['half a megabyte of quotes', () => line('"', 500_000)],
    ['half a megabyte of brackets', () => line('[', 500_000)],
    ['half a megabyte of dashes', () => line('- ', 250_000)],
    ['half a megabyte of line breaks', () => line('\n', 500_000)],
    ['thirty thousand anchors', () => numbered(30_000, (index) => `a${index}: &x 1\n`)],
    ['nine thousand unknown keys', () => head + numbered(9_000, (index) => `unknown_${index}: 1\n`)],
    [
      'six thousand wrong tools',
      () => `${head}tools:\n${numbered(6_000, (index) => `  t${index}: { protocol: htpp }\n`)}`,
    ],
    [
      'nine hundred tools with watches',
      () =>
        `${head}tools:\n${numbered(900, (index) => `  t${index}: { protocol: shell, command: [ls], async: { poll: t1x, done_path: x } }\n`)}`,
    ],
    [
      'a script of half a megabyte',
      () => `${head}tools:\n  t:\n    script: |\n${line('      const x = `${args.y} {a}`;\n', 16_000)}`,
    ],
    [
      'a script of open templates',
      () => `${head}settings: { a: {} }\ntools:\n  t:\n    script: "${line('`{a}${', 80_000)}"\n`,
    ],
    ['a script of parentheses', () => `${head}tools:\n  t:\n    script: "${line('(', 400_000)}"\n`],
    ['a script of signs', () => `${head}tools:\n  t:\n    script: "return ${line('!', 400_000)}1"\n`],
    ['a script of sums', () => `${head}tools:\n  t:\n    script: "return 1${line('+1', 200_000)}"\n`],
    ['a script of arrows', () => `${head}tools:\n  t:\n    script: "return ${line('a=>', 130_000)}1"\n`],
    ['a script of news', () => `${head}tools:\n  t:\n    script: "return ${line('new ', 100_000)}a"\n`],
    ['a script of ifs', () => `${head}tools:\n  t:\n    script: "${line('if(a)', 80_000)}b"\n`],
    ['a script of else ifs', () => `${head}tools:\n  t:\n    script: "${line('if(a)b;else ', 40_000)}b"\n`],
    ['a script of labels', () => `${head}tools:\n  t:\n    script: "${numbered(40_000, (index) => `l${index}:`)}1"\n`],
    ['a script of patterns', () => `${head}tools:\n  t:\n    script: "let ${line('[', 400_000)}"\n`],
    ['a script of classes', () => `${head}tools:\n  t:\n    script: "${line('class A extends ', 30_000)}"\n`],
    ['a script of calls', () => `${head}tools:\n  t:\n    script: "a${line('()', 200_000)}"\n`],
    [
      'merges of merges',
      () =>
        `b0: &b0 { a: 1 }\n${numbered(5_000, (index) => `b${index + 1}: &b${index + 1} { <<: *b${index}, k${index}: 1 }\n`)}`,
    ],
    ['two megabytes', () => line('a: b\n', 400_000)],
  ];

  it.each(table)('%s', (_title, makeText) => {
    const text = makeText();
    lint(head);
    const heap = process.memoryUsage().heapUsed;
    let report: ReturnType<typeof lint> | undefined;
    // What takes seconds here grows faster than the text; a busy machine alone makes it a few times slower, and the bench measures.
    expect(processorMs(() => (report = lint(text)), MAX_MS)).toBeLessThan(MAX_MS);
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(200 * 1024 * 1024);
    expect(report?.package).toBeDefined();
  });
});
