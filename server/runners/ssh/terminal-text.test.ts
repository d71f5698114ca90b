import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TerminalText } from './terminal-text.ts';

function cleaned(...parts: (string | Buffer)[]): string {
  const text = new TerminalText();
  return parts.map((part) => text.push(Buffer.from(part as string))).join('') + text.end();
}

it.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['a title', '\u001b]0;host: ~\u0007$ ', '$ '],
  ['a title that ends the other way', '\u001b]0;host\u001b\\$ ', '$ '],
  ['bracketed paste', '\u001b[?2004h# ', '# '],
  ['character sets', '\u001b(B\u001b)0x', 'x'],
  ['line ends', 'a\r\nb\r\r\nc\rd\n', 'a\nb\nc\nd\n'],
  ['backspaces', 'abc\b\bx\b \bY', 'aY'],
  ['bells and zeros', 'a\u0007\u0000b\u007fc', 'abc'],
  ['a sequence that never ends, within its line', '\u001b]0;never\r\nnext', ']0;never\nnext'],
])('reads past %s', (_title, sent, expected) => {
  expect(cleaned(sent)).toBe(expected);
});

it('makes one sign of a run of bytes that are no text', () => {
  expect(cleaned(Buffer.from([0x61, 0xff, 0xfe, 0xfd, 0x62]))).toBe('a\ufffdb');
});

it('gives the same text however the bytes are cut, and never a control character', () => {
  const sent = Buffer.from('\u001b[1mBücher\u001b[0m\r\n\u001b]0;t\u0007ab\u001b[2Kc\r\n');
  for (let cut = 0; cut <= sent.length; cut += 1) {
    expect(cleaned(sent.subarray(0, cut), sent.subarray(cut))).toBe('Bücher\nabc\n');
  }
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), (parts) => {
      expect(cleaned(...parts.map((part) => Buffer.from(part)))).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/,
      );
    }),
    { numRuns: 200 },
  );
});

it('takes no longer for bytes that are made to be hard', () => {
  for (const hard of ['\u001b]', '\r', '\u001b[', '\u001b', '\b', 'a\b']) {
    const text = new TerminalText();
    // A quadratic pattern would need minutes for this, and the test's own limit would end it.
    for (let round = 0; round < 30; round += 1) text.push(Buffer.from(hard.repeat(16_000)));
    expect(text.end().length).toBeLessThan(100_000);
  }
});
