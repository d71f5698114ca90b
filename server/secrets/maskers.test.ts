import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import { createMaskers } from './maskers.ts';

const STRONG = 'vt-8c1f0e7a5b2d4936';
const PIN = '482913';
const BEARER = 'eyJhbGciOiJub25lIn0.one';
const HOUR_MS = 60 * 60 * 1000;

function known() {
  const maskers = createMaskers();
  maskers.learn('vault', STRONG);
  maskers.learn('vault', PIN);
  maskers.learn('@models', 'sk-model-key-0123456789');
  maskers.learnOwn('forge-token-0123456789');
  return maskers;
}

describe('S5 a secret of a connector', () => {
  it('is masked in what its own calls produce, and in no other text that a caller sees', () => {
    const maskers = known();
    const said = `${STRONG} ${PIN}`;
    expect(maskers.connector('vault').masks.received.redact(said)).toBe('[secret] [secret]');
    expect(maskers.connector('other').masks.received.redact(said)).toBe(said);
    expect(maskers.connector('other').masks.sent.redact(said)).toBe(said);
    expect(maskers.forge.redact(said)).toBe(said);
    expect(maskers.person.redact(said)).toBe(`[secret] ${PIN}`);
    expect(maskers.log.redact(said)).toBe('[secret] [secret]');
  });

  it('that can be guessed is never looked for in what a caller says, in no spelling', () => {
    const { sent } = known().connector('vault').masks;
    const spellings = [PIN, Buffer.from(PIN).toString('hex'), Buffer.from(PIN).toString('base64'), `x${PIN}y`];
    for (const said of spellings) expect(sent.redact(said)).toBe(said);
    expect(sent.redact(STRONG)).toBe('[secret]');
  });

  it('Forge’s own are masked everywhere', () => {
    const maskers = known();
    for (const masker of [maskers.forge, maskers.person, maskers.log, maskers.connector('x').masks.sent])
      expect(masker.redact('sk-model-key-0123456789 forge-token-0123456789')).toBe('[secret] [secret]');
  });

  it('a mask in what a caller said does not depend on a secret that can be guessed', () => {
    const digits = fc.integer({ min: 0, max: 999_999 }).map((number) => String(number).padStart(6, '0'));
    const texts = fc.array(fc.oneof(digits, fc.string()), { maxLength: 30 });
    fc.assert(
      fc.property(digits, digits, texts, (one, other, said) => {
        const shown = [one, other].map((pin) => {
          const maskers = createMaskers();
          maskers.learn('vault', pin);
          const value: JsonValue = [...said, one, other];
          return JSON.stringify(maskers.connector('vault').masks.sent.redactValue(value));
        });
        expect(shown[0]).toBe(shown[1]);
      }),
    );
  });
});

describe('S5 guessing', () => {
  const numbers = (count: number, from = 100_000) => Array.from({ length: count }, (_, index) => String(from + index));

  it('a hundred different words an hour come back as they are; of more, nobody learns which one is right', () => {
    let now = 0;
    const heard: string[] = [];
    const maskers = createMaskers({ now: () => now, onGuessing: (id) => heard.push(id) });
    maskers.learn('vault', PIN);
    const echo = (words: string[]) =>
      maskers
        .connector('vault')
        .ofCall({ q: words.join(' ') }, [])
        .received.redact(words.join(' '));
    expect(echo(numbers(100))).toBe(numbers(100).join(' '));
    expect(heard).toEqual([]);
    const tried = ['482912', PIN, '482914'];
    expect(echo(tried)).toBe('[secret] [secret] [secret]');
    expect(echo(numbers(5))).toBe(numbers(5).join(' '));
    expect(heard).toEqual(['vault']);
    now += HOUR_MS + 1;
    expect(echo(tried)).toBe('482912 [secret] 482914');
  });

  it('many at once come back masked, all of them', () => {
    const maskers = createMaskers();
    maskers.learn('vault', PIN);
    const q = numbers(2000, 482_000);
    const { received } = maskers.connector('vault').ofCall({ q: q.join(' ') }, []);
    expect(new Set(received.redact(q.join(' ')).split(' '))).toEqual(new Set(['[secret]']));
    expect(received.redact(`other text with 777777, 48291, 4829130 and ${PIN}`)).toBe(
      'other text with 777777, 48291, 4829130 and [secret]',
    );
  });

  it.each(['hunter22', 'swordfish', 'Ab3dE5', 'p@ss1!', 'Summer2024!', 'my pin 9'])(
    'the same for words such as %s',
    (secret) => {
      const maskers = createMaskers();
      maskers.learn('vault', secret);
      const alike = Array.from({ length: 200 }, (_, index) => rotated(secret, index + 1));
      const q = [...new Set([...alike, secret])];
      const { received } = maskers.connector('vault').ofCall({ q: q.join(' ') }, []);
      expect(q.map((word) => received.redact(word)).filter((word) => word !== '[secret]')).toEqual([]);
    },
  );
});

/** Another word of the same kind: the first letters and digits count up, each in its own alphabet. */
function rotated(text: string, by: number): string {
  let place = 1;
  const alphabets: [RegExp, number, number][] = [
    [/[0-9]/, 48, 10],
    [/[a-z]/, 97, 26],
    [/[A-Z]/, 65, 26],
  ];
  return Array.from(text, (char) => {
    const [, first, size] = alphabets.find(([kind]) => kind.test(char)) ?? [null, 0, 0];
    if (size === 0) return char;
    const step = Math.floor(by / place) % 10;
    place *= 10;
    return String.fromCharCode(first + ((char.charCodeAt(0) - first + step) % size));
  }).join('');
}

it('C-80 a Basic header is masked whole where its password could be guessed, whatever it says', () => {
  const maskers = createMaskers();
  maskers.learn('vault', 'hunter22');
  const { received } = maskers.connector('vault').masks;
  const basic = (password: string) => `Basic ${Buffer.from(`demo:${password}`).toString('base64')}`;
  for (const password of ['hunter22', 'hunter23']) {
    expect(received.redact(`x ${basic(password)} y`)).toBe('x Basic [secret] y');
    expect(received.redactJson({ headers: { a: basic(password) } }).value).toEqual({
      headers: { a: 'Basic [secret]' },
    });
    const stream = received.stream();
    expect(['x Basic ', basic(password).slice(6), ' y\n'].map((part) => stream.push(part)).join('')).toBe(
      'x Basic [secret] y\n',
    );
  }
});

describe('S4 what a service hands out', () => {
  it('is masked in what comes back from it, and in nothing else', () => {
    const maskers = known();
    const vault = maskers.connector('vault');
    vault.addPassing(BEARER);
    expect(vault.masks.received.redact(`x ${BEARER} y`)).toBe('x [secret] y');
    const others = [
      vault.masks.sent,
      maskers.connector('other').masks.received,
      maskers.person,
      maskers.log,
      maskers.forge,
    ];
    for (const masker of others) expect(masker.redact(BEARER)).toBe(BEARER);
  });

  it.each(['curl evil | sh', 'DELETE', 'rm -rf /var/lib/postgresql', 'https://evil.example.com/x1'])(
    'is masked nowhere when it is %s',
    (token) => {
      const maskers = known();
      maskers.connector('vault').addPassing(token);
      expect(maskers.connector('vault').masks.received.redact(`DELETE ${token}`)).toBe(`DELETE ${token}`);
    },
  );

  it('a credential that a call brings along is masked in its own answer alone', () => {
    const maskers = known();
    const call = maskers.connector('box').ofCall({ password: 'reboot' }, ['reboot']);
    expect(call.received.redact('typed reboot')).toBe('typed [secret]');
    expect(call.sent.redact('reboot')).toBe('reboot');
    expect(maskers.connector('box').ofCall({}, []).received.redact('reboot')).toBe('reboot');
  });
});

describe('S5 a secret that cannot be guessed is not found part by part', () => {
  // Its first part is the same in every such key.
  const head =
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n';
  const key = `${head}QyNTUxOQAAACBf7Kq0y8h2\nSomeMoreOfTheKey0123456789\n-----END OPENSSH PRIVATE KEY-----`;

  it('behind a beginning that everybody knows, right and wrong letters look alike', () => {
    const maskers = createMaskers();
    maskers.learn('box', key);
    const { received } = maskers.connector('box').masks;
    for (const base of [head.slice(0, 70), head, head + key.slice(head.length, head.length + 5)]) {
      const right = key.slice(base.length, base.length + 1);
      const shown = [right, 'X', '7', '/'].map((letter) => received.redact(`a ${base}${letter} b`));
      expect(new Set(shown).size).toBe(1);
    }
  });

  it('no beginning of one is masked or held back: not as it is, in base64, in hex or in an address', () => {
    const maskers = createMaskers();
    maskers.learn('box', STRONG);
    const { received } = maskers.connector('box').masks;
    const wrong = 'zz-zzzzzzzzzzzzzzzz';
    for (let chars = 1; chars < STRONG.length - 3; chars += 1) {
      for (const spell of [
        (text: string) => text,
        (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
        (text: string) => Buffer.from(text).toString('hex'),
        encodeURIComponent,
      ]) {
        const texts = [STRONG, wrong].map((secret) => spell(secret.slice(0, chars)));
        for (const text of texts) expect(received.redact(text)).toBe(text);
        const pushed = texts.map((text) => received.stream().push(`a ${text}`));
        expect(pushed[0]).toBe(pushed[1]);
      }
    }
  });
});

describe('S13 learning a secret', () => {
  /** Processor time, since the machine may be busy with other things. */
  const spent = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user;
  };

  it('costs what the secret costs, however many are known', () => {
    const cost = (saved: number): number => {
      const maskers = createMaskers();
      for (let index = 0; index < saved; index += 1)
        maskers.learn('many', `saved-secret-number-${index}-${'x'.repeat(20)}`);
      const { received } = maskers.connector('many').masks;
      received.redact('first');
      return spent(() => {
        for (let index = 0; index < 100; index += 1) {
          maskers.connector('many').addPassing(`Bearer.${index}.${'Ab3dE5fG7hJ'.repeat(30)}`);
          received.redact(`a text ${index}`);
        }
      });
    };
    cost(5);
    expect(cost(1000)).toBeLessThan(cost(5) * 5);
  });
});
