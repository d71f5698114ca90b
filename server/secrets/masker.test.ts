import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import { createMasker, type Masker } from './masker.ts';
import { SecretSet } from './secret-set.ts';
import { maskerOf } from './testing/masker-of.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const SECRET = 'p@ss/wörd "1" + \\x?';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');

describe('createMasker', () => {
  it.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in JSON inside JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['in JSON with ASCII only', 'p@ss/w\\u00f6rd \\"1\\" + \\\\x?'],
    ['in JSON with escaped slashes', 'p@ss\\/w\\u00F6rd \\"1\\" + \\\\x?'],
    ['as a part of a URL', encodeURIComponent(SECRET)],
    ['as a part of a URL in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['as a URL that keeps its separators', encodeURI(SECRET)],
    ['in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ['in base64', base64(SECRET)],
    ['in base64url', base64url(SECRET)],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in upper-case hex', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ])('masks a secret %s', (_, spelled) => {
    expect(maskerOf(SECRET).redact(`before ${spelled} after`)).toBe('before [secret] after');
  });

  it.each(['', 'a', 'ab', 'abc', 'user:', 'someone@example.org:'])(
    'masks a password in Basic auth behind %j',
    (before) => {
      const password = 'correct-horse-battery';
      const text = maskerOf(password).redact(`Basic ${base64(`${before}${password}`)}`);
      expect(text).toContain('[secret]');
      const left = text.replace('Basic ', '').split('[secret]');
      // What is left are whole characters in front and at most the edges, which hold a few bits of the secret at the most.
      expect(
        Buffer.from(left[0] ?? '', 'base64')
          .toString()
          .startsWith(before.slice(0, -2)),
      ).toBe(true);
      expect((left[1] ?? '').replaceAll('=', '').length).toBeLessThanOrEqual(1);
      for (const fragment of ['correct', 'horse', 'battery']) {
        for (const skipped of [0, 1, 2]) {
          const hidden = base64('x'.repeat(skipped) + fragment).slice(4, 8);
          expect(text).not.toContain(hidden);
        }
      }
    },
  );

  it('leaves no spelling of any secret in any text', () => {
    const spellings: ((text: string) => string)[] = [
      (text) => text,
      (text) => JSON.stringify(text).slice(1, -1),
      encodeURIComponent,
      base64,
      base64url,
      (text) => Buffer.from(text).toString('hex'),
    ];
    const secrets = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 100 });
    fc.assert(
      fc.property(secrets, fc.constantFrom(...spellings), fc.string(), fc.string(), (secret, spell, before, after) => {
        const redacted = maskerOf(secret).redact(before + spell(secret) + after);
        expect(redacted.replaceAll('[secret]', '\0')).not.toContain(spell(secret));
        expect(redacted).toContain('[secret]');
      }),
      { numRuns: rounds(2000) },
    );
  });

  it('leaves a text without secrets as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(maskerOf('correct-horse-battery').redact(text)).toBe(text);
      }),
    );
    expect(maskerOf().redact('anything')).toBe('anything');
  });

  it('masks all of two secrets when one holds the other or they overlap', () => {
    expect(maskerOf('token', 'token-with-more').redact('a token-with-more b token c')).toBe('a [secret] b [secret] c');
    expect(maskerOf('abcdef', 'defghi').redact('xabcdefghix')).toBe('x[secret]x');
    expect(maskerOf('abcdef').redact('abcdefabcdef')).toBe('[secret][secret]');
  });

  it('does not look for fewer than four characters', () => {
    expect(maskerOf('abc', '').redact('abc abcd')).toBe('abc abcd');
    expect(maskerOf('abcd').redact('abc abcd')).toBe('abc [secret]');
  });

  it('takes a secret with half a character', () => {
    expect(maskerOf('abc\ud800def').redact('x abc\ud800def')).toBe('x [secret]');
  });

  it('takes secrets that were added after the first text', () => {
    const set = new SecretSet();
    const redactor = createMasker([new SecretSet(), set]);
    set.add('first-secret');
    expect(redactor.redact('first-secret second-secret')).toBe('[secret] second-secret');
    set.add('second-secret');
    expect(redactor.redact('first-secret second-secret')).toBe('[secret] [secret]');
  });

  it('remembers as many as it may and forgets those that came longest ago', () => {
    const set = new SecretSet({ max: 4 });
    const names = ['one', 'two', 'three', 'four', 'five'].map((name) => `${name}-secret`);
    for (const secret of names) set.add(secret);
    expect(createMasker([set]).redact(names.join(' '))).toBe('one-secret two-secret [secret] [secret] [secret]');
  });

  it('masks a long key also where it was cut off', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${Buffer.alloc(1200, 'some entropy!').toString('base64')}\n-----END PRIVATE KEY-----`;
    const redactor = maskerOf(key);
    expect(redactor.redact(`a ${key} b`)).toBe('a [secret] b');
    expect(redactor.redact(`a ${key.slice(0, 500)}… b`)).toBe('a [secret] b');
    expect(redactor.redact(JSON.stringify({ key }))).toBe('{"key":"[secret]"}');
  });

  it('masks in values, keys and numbers of JSON, and changes nothing else', () => {
    const value = JSON.parse(
      '{"a": ["x 12345678 y", 12345678, 123, null, true], "k-12345678": {"__proto__": "12345678"}, "plain": "text"}',
    ) as JsonValue;
    const copy = structuredClone(value);
    const redacted = maskerOf('12345678').redactValue(value);
    expect(JSON.stringify(redacted)).toBe(
      '{"a":["x [secret] y","[secret]",123,null,true],"k-[secret]":{"__proto__":"[secret]"},"plain":"text"}',
    );
    expect(value).toEqual(copy);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('masks what is nested too deep to look at', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}"hunter22"${']'.repeat(50_000)}`) as JsonValue;
    let value = maskerOf('hunter22').redactValue(deep);
    let depth = 0;
    while (Array.isArray(value)) {
      value = value[0]!;
      depth += 1;
    }
    expect([value, depth]).toEqual(['[secret]', 1001]);
  });
});

/** As encoders write it into mails, keys and YAML. */
const wrapped = (text: string, columns: number, lineBreak: string) =>
  base64(text).replaceAll(new RegExp(`.{${columns}}(?!$)`, 'g'), `$&${lineBreak}`);

const WRAPS: [columns: number, lineBreak: string][] = [
  [76, '\n'],
  [76, '\r\n'],
  [64, '\n'],
  [60, '\n    '],
];

describe('base64 in lines', () => {
  const secret = 'correct-horse-battery-staple';

  it.each(WRAPS)('masks a secret anywhere in it: %i columns, %j', (columns, lineBreak) => {
    const redactor = maskerOf(secret);
    const hidden = [...secret.matchAll(/(?=(.{6}))/g)].flatMap(([, part = '']) =>
      [0, 1, 2].map((shift) => base64('x'.repeat(shift) + part).slice(4, 8)),
    );
    for (let before = 0; before < 130; before += 1) {
      const content = `${'#'.repeat(before)}${secret}${'#'.repeat(140 - before)}`;
      const text = `first: ${wrapped(content, columns, lineBreak)}\nlast`;
      const clean = redactor.redact(text);
      expect(clean.match(/\[secret\]/g)).toHaveLength(1);
      expect(hidden.filter((part) => clean.replaceAll(/\s/g, '').includes(part))).toEqual([]);
      expect(clean.endsWith('\nlast')).toBe(true);
      expect(redactor.redactJson({ content: text })).toEqual({
        value: { content: clean },
        json: JSON.stringify({ content: clean }),
      });
      expect(Buffer.from(redactor.redactBytes(Buffer.from(text))).toString()).toBe(clean);
    }
  });

  it('masks a key that takes many lines of it, and a key of lines with other line breaks', () => {
    const key = `-----BEGIN KEY-----\n${wrapped('some entropy!'.repeat(90), 64, '\n')}\n-----END KEY-----\n`;
    const redactor = maskerOf(key);
    const clean = redactor.redact(`a: ${wrapped(key, 76, '\n')}`);
    expect(clean).toMatch(/^a: \[secret\].{0,2}$/);
    expect(redactor.redact(`a ${key.replaceAll('\n', '\r\n')} b`)).toBe('a [secret] b');
    expect(maskerOf(key.replaceAll('\n', '\r\n')).redact(`a ${key} b`)).toBe('a [secret] b');
  });

  it('leaves lines of base64 alone that hold no secret', () => {
    const text = `first: ${wrapped('#'.repeat(300), 76, '\r\n')}\nlast`;
    expect(maskerOf(secret).redact(text)).toBe(text);
  });
});

describe('a text that comes in parts', () => {
  const inParts = (redactor: Masker, parts: readonly string[]) => {
    const stream = redactor.stream();
    return parts.map((part) => stream.push(part)).join('') + stream.end();
  };

  it('masks a secret that is cut anywhere', () => {
    const text = `before ${SECRET} and ${base64(SECRET)} after`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const parts = [text.slice(0, cut), text.slice(cut)];
      expect(inParts(maskerOf(SECRET), parts)).toBe('before [secret] and [secret] after');
    }
    expect(inParts(maskerOf(SECRET), Array.from(text))).toBe('before [secret] and [secret] after');
  });

  it('comes out as the whole text would, however it is cut', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
    const secrets = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 7 }));
    fc.assert(
      fc.property(secrets, fc.array(letters), (some, parts) => {
        expect(inParts(maskerOf(...some), parts)).toBe(maskerOf(...some).redact(parts.join('')));
      }),
      { numRuns: rounds(500) },
    );
  });

  it.each(WRAPS)('masks a secret in lines of base64 that are cut anywhere: %i columns, %j', (columns, lineBreak) => {
    const redactor = maskerOf('correct-horse-battery-staple');
    const text = `first: ${wrapped(`${'#'.repeat(40)}correct-horse-battery-staple${'#'.repeat(80)}`, columns, lineBreak)}\nlast`;
    const clean = redactor.redact(text);
    expect(clean).toContain('[secret]');
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(inParts(redactor, [text.slice(0, cut), text.slice(cut)])).toBe(clean);
    }
    expect(inParts(redactor, Array.from(text))).toBe(clean);
  });

  it('holds back the last word of a part, whatever it is, so that nobody finds a secret letter by letter', () => {
    const stream = maskerOf('hunter-of-2-boars').stream();
    const parts = ['plain\n', 'a hunter', '-of', ' x', 'y\n'];
    expect(parts.map((part) => stream.push(part))).toEqual(['plain\n', 'a ', '', 'hunter-of ', 'xy\n']);
    const other = maskerOf('nothing-like-2-it').stream();
    expect(parts.map((part) => other.push(part))).toEqual(['plain\n', 'a ', '', 'hunter-of ', 'xy\n']);
    const spaced = maskerOf('two words 4 you').stream();
    expect(['a two', ' words', ' b\n'].map((part) => spaced.push(part))).toEqual(['', '', 'a two words b\n']);
  });
});

describe('a file', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

  it('loses every spelling of a secret and nothing else', () => {
    const file = bytes([0, 0xff, 0xfe], SECRET, [0xc3], base64(SECRET), 'ö', [0x80]);
    const clean = bytes([0, 0xff, 0xfe], '[secret]', [0xc3], '[secret]', 'ö', [0x80]);
    expect(Buffer.from(maskerOf(SECRET).redactBytes(file))).toEqual(clean);
  });

  it('is handed back as it is when there is none in it', () => {
    const file = bytes([0, 0xff], 'nothing here');
    expect(maskerOf(SECRET).redactBytes(file)).toBe(file);
  });

  const utf16 = (text: string, isBigEndian: boolean) => {
    const little = Buffer.from(text, 'utf16le');
    return isBigEndian ? little.swap16() : little;
  };

  describe.each([false, true])('in UTF-16, big-endian: %s', (isBigEndian) => {
    it.each([
      ['a secret', SECRET],
      ['a secret in another script', 'пароль是秘密'],
    ])('loses %s, with a mark or without, and stays UTF-16', (_, secret) => {
      for (const mark of ['', '\ufeff']) {
        for (const [before, after] of [
          ['', ''],
          ['a line\n', '\nпосле'],
          ['前', '後'],
        ]) {
          const file = utf16(`${mark}${before}${secret}${after}`, isBigEndian);
          if (mark === '' && !file.includes(0)) continue;
          expect(Buffer.from(maskerOf(secret).redactBytes(file))).toEqual(
            utf16(`${mark}${before}[secret]${after}`, isBigEndian),
          );
        }
      }
    });

    it('loses every spelling of a secret', () => {
      const text = (part: (encoded: string) => string) =>
        [base64(SECRET), JSON.stringify(SECRET).slice(1, -1), encodeURIComponent(SECRET)].map(part).join('\n');
      expect(
        Buffer.from(
          maskerOf(SECRET).redactBytes(
            utf16(
              text((encoded) => encoded),
              isBigEndian,
            ),
          ),
        ),
      ).toEqual(
        utf16(
          text(() => '[secret]'),
          isBigEndian,
        ),
      );
    });

    it('loses a secret that stands at an odd place', () => {
      const file = Buffer.concat([bytes([1, 2, 0xff]), utf16(`x ${SECRET} y`, isBigEndian), bytes([0xff])]);
      const clean = Buffer.concat([bytes([1, 2, 0xff]), utf16('x [secret] y', isBigEndian), bytes([0xff])]);
      expect(Buffer.from(maskerOf(SECRET).redactBytes(file))).toEqual(clean);
    });

    it('stays as it is without a secret', () => {
      const file = utf16('nothing here\n', isBigEndian);
      expect(maskerOf(SECRET).redactBytes(file)).toBe(file);
    });
  });

  it.each([0, 1, 2, 3])('of %i bytes is fine', (length) => {
    const file = Buffer.alloc(length);
    expect(maskerOf(SECRET).redactBytes(file)).toBe(file);
  });
});
