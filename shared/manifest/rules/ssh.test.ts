import { expect, it } from 'vitest';
import { findings, HEAD, lint } from '../testing/lint.ts';

const SETTINGS = 'settings: { host: {}, username: {} }\n';
const tool = (rest: string, settings = SETTINGS) =>
  `${HEAD}${settings}tools:\n  t:\n    description: Does a thing.\n    protocol: ssh\n${rest.replace(/^(?=.)/gm, '    ')}\n`;
const commands = (...lines: string[]) => tool(`parameters: { a: {} }\nssh: { commands: ${JSON.stringify(lines)} }`);

it('W-11 takes a tool that has everything', () => {
  const all = `parameters: { a: {} }
timeout_ms: 1000
ssh:
  prompt_regex: '(?i)[#>] $'
  commands: [show version, 'show {args.a}']
  quoting: posix
  auto_answer: [{ match: 'sure\\?', send: yes }, { match: retry, send: 3 }]
  done_when: 'v{args.a}'
  fail_when: ^Error
  capture: { build: 'build(\\d{1,5})' }
  success_on_close: true
  timeout_sec: '{args.a}'`;
  expect(findings(tool(all))).toEqual([]);
});

// prettier-ignore
const TABLE: [title: string, yaml: string, wanted: string][] = [
  ['W-11 a tool without commands', tool('ssh: {}'), 'warning ssh 10:10 logs in and out again: it has no commands'],
  ['K-17 the document’s own, without a block', tool(''), 'warning ssh 8:5 logs in and out again: it has no commands'],
  ['no host', tool('ssh: { commands: [x] }', 'settings: { username: {} }\n'), 'warning ssh 7:3 `t` has no host'],
  ['no user', tool('ssh: { commands: [x] }', 'settings: { default_host: {} }\n'), 'warning ssh 7:3 `t` has no username'],
  ['C-138 a password as a parameter', tool('parameters: { password: {} }\nssh: { commands: [x] }'), 'warning ssh 10:19 a model would have to know the password to pass it'],
  ['two lines', commands('show\nreboot'), 'error ssh 11:24 a command is one line'],
  ['a command of the caller’s', commands('{args.a}'), 'warning ssh 11:24 the whole command comes from an argument, so a person approves each call'],
  ['a first word of the caller’s', commands('{args.a} x'), 'error ssh 11:24 the command to run cannot come from an argument'],
  ['a part of a first word', commands('x{args.a} y'), 'error ssh 11:24 the command to run cannot come from an argument'],
  ['a script', commands('sh -c "ls {args.a}"'), 'error ssh 11:24 the argument "a" stands inside code that sh reads'],
  ['another script', commands('cd /x && eval ls {args.a}'), 'error ssh 11:24 the argument "a" stands inside code that eval reads'],
  ['a broken pattern', tool("ssh: { commands: [x], prompt_regex: '(' }"), 'error ssh 10:42 this pattern cannot be used: Invalid regular expression'],
  ['an empty pattern', tool("ssh: { commands: [x], done_when: '' }"), 'error ssh 10:39 this pattern cannot be used: it is empty'],
  ['a broken answer', tool("ssh: { commands: [x], auto_answer: [{ match: '[', send: y }] }"), 'error ssh 10:51 this pattern cannot be used'],
  ['a capture without a group', tool("ssh: { commands: [x], capture: { a: 'v(?:x)' } }"), 'warning ssh 10:42 a capture without a group'],
  ['an endless pattern', tool(`ssh: { commands: [x], fail_when: '${'a'.repeat(1001)}' }`), 'error ssh 10:39 this pattern cannot be used: it is longer than 1000 characters'],
  ['another quoting', tool('ssh: { commands: [x], quoting: cmd }'), 'error enum 10:36 `tools.t.ssh.quoting` cannot be "cmd"'],
];

it.each(TABLE)('finds %s', (_title, yaml, wanted) => {
  expect(findings(yaml)).toEqual(expect.arrayContaining([expect.stringContaining(wanted)]));
});

it('K-10 a tool whose command is an argument asks a person, whatever it says', () => {
  const { package: pack } = lint(commands('{args.a}'));
  expect(pack?.connectors[0]?.tools['t']?.destructive).toBe(true);
  expect(lint(commands('show {args.a}')).package?.connectors[0]?.tools['t']?.destructive).toBe(false);
});
