import { expect, describe, it } from 'vitest';
import { Secret } from '../secret.ts';
import { expandArgv } from './expand-argv.ts';

const REVEAL = { secrets: 'reveal' } as const;

function refusal(command: string[], args: Record<string, unknown>, allowDash: string[] = []): unknown {
  try {
    return expandArgv(command, { args, settings: { opt: '-x' } }, { ...REVEAL, allowDash: new Set(allowDash) });
  } catch (error) {
    return error;
  }
}

describe('expandArgv', () => {
  it('C-99 fills the git sample', () => {
    const command = ['git', '-C', '{args.repo}', 'log', '-n', '{args.n}', '--oneline'];
    expect(expandArgv(command, { args: { repo: '/tmp/my repo', n: 20 } }, REVEAL)).toEqual([
      'git',
      '-C',
      '/tmp/my repo',
      'log',
      '-n',
      '20',
      '--oneline',
    ]);
  });

  it.each(['a b', '$(reboot)', '; reboot', '"', "'", '`x`', 'a\nb', '*', '{settings.token}', '&& x'])(
    'C-99 keeps %j one element',
    (value) => {
      const scope = { args: { v: value }, settings: { token: new Secret('hunter2') } };
      expect(expandArgv(['echo', '{args.v}', 'x{args.v}'], scope, REVEAL)).toEqual(['echo', value, `x${value}`]);
    },
  );

  it.each<[string[], Record<string, unknown>, string[]]>([
    [['{args.nope}', 'a'], {}, ['a']],
    [['{args.nope}{args.neither}', 'a'], {}, ['a']],
    [['{args.nope}', 'a'], { nope: null }, ['a']],
    [['{settings.nope}', '--x={settings.blank}', 'a'], {}, ['a']],
    [['--since={args.nope}', '-s={args.nope}', 'a'], {}, ['a']],
    [['{args.nope}', '--since={args.nope}'], { nope: '' }, ['', '--since=']],
    [['{args.nope}', '--since={args.nope}'], { nope: 0 }, ['0', '--since=0']],
    [['{args.from}...{args.to}'], { from: 'main' }, ['main...']],
    [
      ['x{args.nope}', '-n{args.nope}', 'key={args.nope}', '--env=KEY={args.nope}'],
      {},
      ['x', '-n', 'key=', '--env=KEY='],
    ],
    [['', '--empty='], {}, ['', '--empty=']],
  ])('C-99 leaves out an element that only waits for a missing value: %j with %j', (elements, args, expected) => {
    const scope = { args, settings: { blank: '' } };
    expect(expandArgv(['echo', ...elements], scope, REVEAL)).toEqual(['echo', ...expected]);
  });

  it('writes objects as JSON and takes numbers of the manifest', () => {
    expect(expandArgv(['jq', '{args.o}', 5], { args: { o: { a: 1 } } }, REVEAL)).toEqual(['jq', '{"a":1}', '5']);
  });

  it('refuses NUL', () => {
    expect(refusal(['echo', '{args.v}'], { v: 'a\0b' })).toMatchObject({ code: 'unsafe_value' });
  });

  it.each([
    [['git', 'log', '{args.v}'], { v: '--output=/etc/passwd' }],
    [['git', 'log', '{args.v}'], { v: '-' }],
    [['git', 'log', '{args.v}'], { v: -5 }],
    [['git', 'log', '{args.v}..x'], { v: '-a' }],
    [['git', 'log', '{args.none}{args.v}'], { v: '-a' }],
  ])('refuses an option from an argument: %j %j', (command, args) => {
    expect(refusal(command, args)).toMatchObject({
      code: 'unsafe_value',
      message: expect.stringContaining('"v" starts with "-"') as unknown,
    });
  });

  it.each([
    [['git', 'log', '{args.v}'], { v: '-a' }, ['v'], ['git', 'log', '-a']],
    [['git', 'log', '--x={args.v}'], { v: '-a' }, [], ['git', 'log', '--x=-a']],
    [['git', 'log', '{settings.opt}'], {}, [], ['git', 'log', '-x']],
  ])('allows %j %j', (command, args, allowDash, expected) => {
    expect(refusal(command, args, allowDash)).toEqual(expected);
  });

  it.each([['{args.program}'], ['/bin/{args.program}'], ['{result.program}']])(
    'refuses a program from a call: %s',
    (program) => {
      expect(refusal([program], { program: 'sh' })).toMatchObject({ code: 'unsafe_value' });
    },
  );

  it('takes a program from a setting and names it when it is missing', () => {
    expect(expandArgv(['{settings.bin}', 'x'], { settings: { bin: '/opt/gh' } }, REVEAL)).toEqual(['/opt/gh', 'x']);
    expect(refusal(['{settings.bin}', 'x'], {})).toMatchObject({ code: 'setting_missing' });
    expect(refusal(['', 'x'], {})).toMatchObject({ code: 'invalid_manifest' });
  });

  it('masks and refuses secrets', () => {
    const scope = { settings: { token: new Secret('hunter2') } };
    expect(expandArgv(['gh', '--token={settings.token}'], scope, { secrets: 'mask' })).toEqual([
      'gh',
      '--token=[secret]',
    ]);
    expect(() => expandArgv(['gh', '{settings.token}'], scope, { secrets: 'refuse' })).toThrow(/secret/);
  });
});
