import { describe, expect, it } from 'vitest';
import { isForgeError } from '../errors.ts';
import { Secret } from '../secret.ts';
import { expandCommandLine, type Quoting } from './expand-command-line.ts';
import { expandPattern } from './expand-pattern.ts';

const SETTINGS = { cmd: 'get system status', dir: '/srv/my files', token: new Secret("s3'cret $x") };

/** The line, or the code of the refusal. */
function line(template: string, v: unknown, quoting: Quoting = 'strict', allowDash: string[] = []): string | null {
  const scope = { args: v === undefined ? {} : { v }, settings: SETTINGS };
  try {
    return expandCommandLine(template, scope, { secrets: 'reveal', quoting, allowDash: new Set(allowDash) });
  } catch (error) {
    if (isForgeError(error)) return error.code;
    throw error;
  }
}

const BREAK_OUTS = ['; reboot', '&& reboot', '| sh', '$(reboot)', '`reboot`', 'a b', "'", '"', '\\', '*', '#', '?', '!!', '>x', '%PATH%', '~', '{a,b}', '“x”', 'a\u00a0b']; // prettier-ignore
const CONTROLS = ['a\nreboot', 'a\rreboot', 'a\u0000', '\u0003', '\u001b[A', 'a\tb', 'a\u0085b', 'a\u2028b', '\ud800'];

describe('an argument in a command of a remote prompt', () => {
  it.each([
    ['show interface {args.v}', 'port1/2', 'show interface port1/2'],
    ['show interface {args.v} detail', undefined, 'show interface  detail'],
    ['ping {args.v}', 'Bücher.example:22', 'ping Bücher.example:22'],
    ['ping -c {args.v} x', 3, 'ping -c 3 x'],
    ['set name "{args.v}"', 'two words; and more', 'set name "two words; and more"'],
    ['{settings.cmd}', undefined, 'get system status'],
    ['show {settings.cmd} all', undefined, 'show get system status all'],
  ])('W-11 %s with %j', (template, value, expected) => {
    expect(line(template, value)).toBe(expected);
  });

  it.each(BREAK_OUTS)('%j does not leave its place, whoever reads the line', (value) => {
    expect(line('show {args.v}', value)).toBe('unsafe_value');
    expect(line('show x{args.v}', value)).toBe('unsafe_value');
  });

  it.each(CONTROLS)('%j is refused everywhere', (value) => {
    for (const template of ['show {args.v}', 'show "{args.v}"', "show '{args.v}'", '{args.v}'])
      for (const quoting of ['strict', 'posix'] as const) expect(line(template, value, quoting)).toBe('unsafe_value');
  });

  it.each([
    ['show "{args.v}"', ['"', '\\', '$x', '`x`', '%PATH%', '!x', '”']],
    ["show '{args.v}'", ["'", '\\', '’']],
  ])('inside quotes of the template it cannot end them: %s', (template, values) => {
    for (const value of values) expect(line(template, value)).toBe('unsafe_value');
  });

  it('it is not an option unless the manifest says so', () => {
    expect(line('rm {args.v}', '-rf')).toBe('unsafe_value');
    expect(line('rm "{args.v}"', '-rf')).toBe('unsafe_value');
    expect(line('rm {args.v}', '-rf', 'strict', ['v'])).toBe('rm -rf');
    expect(line('rm x{args.v}', '-rf')).toBe('rm x-rf');
  });

  it.each(['{args.v} -x', '"{args.v}" -x', 'a; {args.v} x', 'a | {args.v} x', 'A=1 {args.v} x', 'sudo {args.v} x'])(
    'it does not choose the command: %s',
    (template) => {
      expect(line(template, 'reboot')).toBe('unsafe_value');
      expect(line(template, 'reboot', 'posix')).toBe('unsafe_value');
    },
  );

  it('it may be the whole line, which a person then approves, and left out the command is', () => {
    expect(line(' {args.v} ', 'show version | grep "x"')).toBe('show version | grep "x"');
    expect(line('{args.v}', undefined)).toBeNull();
  });
});

describe('quoting: posix', () => {
  it.each([
    ['cat {args.v}', 'a b', "cat 'a b'"],
    ['cat {args.v}', "it's; $(x)", `cat 'it'\\''s; $(x)'`],
    ['cat {args.v}', '', "cat ''"],
    ['cat {args.v}', undefined, 'cat'],
    ['cat --file={args.v}', '*', "cat --file='*'"],
    ["cat '{args.v}'", "it's", `cat 'it'\\''s'`],
    ['cat "{args.v}"', 'a "b" $c `d` \\', 'cat "a \\"b\\" \\$c \\`d\\` \\\\"'],
    ['cat "{args.v}"', 'x!', 'unsafe_value'],
    ['ls {settings.dir}', undefined, "ls '/srv/my files'"],
    ['login {settings.token}', undefined, `login 's3'\\''cret $x'`],
    // Read twice, quotes say nothing; only what means itself passes.
    ['echo "$(cat {args.v})"', 'file.txt', 'echo "$(cat file.txt)"'],
    ['echo "$(cat {args.v})"', 'a b', 'unsafe_value'],
    ['echo "`cat {args.v}`"', 'a;b', 'unsafe_value'],
  ])('W-11 %s with %j', (template, value, expected) => {
    expect(line(template, value, 'posix')).toBe(expected);
  });

  it('shows a masked secret as one', () => {
    const options = { secrets: 'mask', quoting: 'strict' } as const;
    expect(expandCommandLine('login {settings.token}', { settings: SETTINGS }, options)).toBe('login [secret]');
  });
});

it('W-11 a value in a pattern stands for itself, and the pattern’s own braces stay', () => {
  const scope = { args: { v: '7.2.1 (a|b)+' } };
  const pattern = expandPattern('^v{args.v} \\d{1,3}$', scope, { secrets: 'reveal' });
  expect(new RegExp(pattern).test('v7.2.1 (a|b)+ 42')).toBe(true);
  expect(new RegExp(pattern).test('v7x2x1 ab 42')).toBe(false);
});
