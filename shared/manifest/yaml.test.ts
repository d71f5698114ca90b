import { describe, expect, it } from 'vitest';
import { ForgeError } from '../errors.ts';
import { decodeText, MAX_MANIFEST_BYTES } from './decode-text.ts';
import { readYaml } from './yaml.ts';

function problem(text: string): string {
  const result = readYaml(text);
  if (result.ok) return 'ok';
  const { line, column, message, hint } = result.diagnostic;
  return `${line}:${column} ${message}${hint === undefined ? '' : ` → ${hint}`}`;
}

describe('D-05 reading YAML', () => {
  const table: [title: string, text: string, wanted: RegExp][] = [
    ['a duplicate key', 'id: a\nname: b\nid: c\n', /^3:1 duplicated mapping key → Keep one of the two/],
    ['a tab', 'tools:\n\ta: 1\n', /^2:1 tab characters must not be used in indentation → Indent with spaces/],
    ['an empty document', '', /empty|document/],
    ['two documents', 'a: 1\n---\nb: 2\n', /more than one document|single document/],
    ['an unknown alias', 'a: *b\n', /alias/],
    [
      'a key that reaches the prototype',
      'settings:\n  __proto__: { x: 1 }\n',
      /^2:3 `__proto__` is not allowed as a key/,
    ],
    ['constructor as a key', 'constructor: 1\n', /^1:1 `constructor` is not allowed as a key/],
    ['deep nesting', `${'['.repeat(200)}${']'.repeat(200)}`, /Nest at most 64 levels deep/],
    ['a broken quote', 'a: "b\n', /^\d+:\d+ /],
    ['a custom tag', 'a: !!js/function "x"\n', /^\d+:\d+ /],
    ['a number that JSON cannot hold', 'a: .inf\n', /Infinity cannot be used as a number/],
  ];
  it.each(table)('tells about %s', (_title, text, wanted) => {
    expect(problem(text)).toMatch(wanted);
  });

  it('stops an alias bomb before anything walks it', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level += 1) bomb.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(10)}]`);
    expect(problem(bomb.join('\n'))).toMatch(/more than 20000 values once aliases are written out/);
  });

  it('merges << as other readers of YAML do', () => {
    const result = readYaml('base: &b { type: string }\nfield: { <<: *b, label: x }\n');
    expect(result.ok && result.document.value).toMatchObject({ field: { type: 'string', label: 'x' } });
  });

  it('S14 makes a value of its own of every alias and every merged value', () => {
    const text = 'r: &r { h: &h { x: [1] } }\na: *r\nb: { <<: *r }\nc: [*h, *h]\n';
    const result = readYaml(text);
    const seen = new Set<unknown>();
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      expect(seen.has(value)).toBe(false);
      seen.add(value);
      Object.values(value).forEach(walk);
    };
    walk(result.ok && result.document.value);
    // The document, `r` three times with its two levels, and a list of two `h`.
    expect(seen.size).toBe(1 + 3 * 3 + 1 + 2 * 2);
  });

  it('places findings at keys, values and lines of blocks', () => {
    const result = readYaml('a:\n  script: |\n    one\n    two\n  list: [x, y]\n');
    if (!result.ok) throw new Error('expected a document');
    const at = (path: string[], extra: object = {}) => {
      const { line, column } = result.document.place({ severity: 'error', rule: 'r', message: '', path, ...extra });
      return `${line}:${column}`;
    };
    expect(at(['a', 'script'], { at: 'key' })).toBe('2:3');
    expect(at(['a', 'script'], { within: { line: 2, column: 3 } })).toBe('4:7');
    expect(at(['a', 'list', '1'])).toBe('5:13');
    expect(at(['a', 'missing', 'deeper'])).toBe('1:1');
  });
});

describe('bytes that are not a manifest', () => {
  const table: [title: string, bytes: Uint8Array, wanted: RegExp][] = [
    ['UTF-16', Buffer.from('\uFEFFid: a', 'utf16le'), /UTF-16/],
    ['UTF-16 without a mark', Buffer.from('id: a', 'utf16le'), /NUL/],
    ['bytes that are not UTF-8', Buffer.from([0x69, 0x64, 0xff, 0xfe]), /UTF-8/],
    ['a NUL', Buffer.from('id: a\nx: \0'), /NUL character in line 2/],
    ['2 MB', Buffer.alloc(2 * 1024 * 1024, 'a'), new RegExp(String(MAX_MANIFEST_BYTES))],
  ];
  it.each(table)('refuses %s and says how to fix it', (_title, bytes, wanted) => {
    expect(() => decodeText(bytes, 'manifest.yaml')).toThrow(wanted);
    expect(() => decodeText(bytes, 'manifest.yaml')).toThrow(ForgeError);
  });

  it('drops a byte order mark', () => {
    expect(decodeText(Buffer.from('\uFEFFid: a'), 'manifest.yaml')).toBe('id: a');
  });
});
