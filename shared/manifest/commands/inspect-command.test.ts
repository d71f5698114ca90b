import { describe, expect, it } from 'vitest';
import { inspectCommand, inspectLine } from './inspect-command.ts';
import { partsOfTemplate, wordOfTemplate, type Parameters } from './word.ts';
import { DOUBTFUL, NOT_UNASKED, PLAIN } from './testing/doubtful.ts';
import { ASKS, FINE, REFUSED } from './testing/tables.ts';
import { parseTemplate } from '../../template/parse.ts';

const PARAMETERS: Parameters = {
  x: { type: 'string' },
  y: { type: 'string' },
  n: { type: 'integer' },
  kind: { type: 'select' },
  dash: { type: 'string', allow_dash: true },
};
const NAMES = new Set(['tool']);

type Verdict = 'fine' | 'asks' | 'refused';

function verdictOf({ problems, wholeCode, doubts }: ReturnType<typeof inspectCommand>): Verdict {
  if (problems.length > 0) return 'refused';
  return wholeCode.length + doubts.length > 0 ? 'asks' : 'fine';
}

function inspect(command: readonly string[], hasVariables = false) {
  const words = command.map((element, index) => wordOfTemplate(element, index, NAMES, PARAMETERS));
  return inspectCommand(words, { hasVariables });
}

const rows = (text: string): string[] => text.split('\n').filter(Boolean);

describe('S3 arguments in commands', () => {
  it.each(rows(FINE))('may stand in %s', (row) => {
    expect(inspect(row.split('|')).problems).toEqual([]);
    expect(verdictOf(inspect(row.split('|')))).toBe('fine');
  });

  it.each(rows(REFUSED))('may not stand in %s', (row) => {
    expect(verdictOf(inspect(row.split('|')))).toBe('refused');
  });

  it.each(rows(ASKS))('are the whole code of %s, so a person sees it', (row) => {
    expect(verdictOf(inspect(row.split('|')))).toBe('asks');
  });

  it.each(DOUBTFUL)('never run unasked as the operand of bash -c %j', (code) => {
    expect(verdictOf(inspect(['bash', '-c', code, 'bash', '{args.x}', '{args.y}']))).not.toBe('fine');
  });

  it.each(PLAIN)('may be the operand of bash -c %j', (code) => {
    expect(inspect(['bash', '-c', code, 'bash', '{args.x}', '{args.y}'])).toMatchObject({ problems: [], doubts: [] });
  });

  it.each(rows(NOT_UNASKED))('never run unasked in %s', (row) => {
    expect(verdictOf(inspect(row.split('|')))).not.toBe('fine');
  });

  it('a program text of awk may not hand an argument to a shell', () => {
    expect(verdictOf(inspect(['awk', '-v', 'x={args.x}', 'BEGIN { print 1 | x }']))).toBe('asks');
    expect(verdictOf(inspect(['awk', '-v', 'x={args.x}', '$1 == x || $2 == x']))).toBe('fine');
  });

  it('a variable that an argument fills reaches the code as an operand does', () => {
    expect(verdictOf(inspect(['sh', '-c', 'eval "$WHO"']))).toBe('fine');
    expect(verdictOf(inspect(['sh', '-c', 'eval "$WHO"'], true))).toBe('refused');
    expect(verdictOf(inspect(['sh', '-c', 'echo "$WHO"'], true))).toBe('fine');
    expect(verdictOf(inspect(['sh', '-c', `bash -c 'eval "$WHO"'`], true))).not.toBe('fine');
  });

  it('a problem names the place, the argument and the way that is safe', () => {
    expect(inspect(['bash', '-c', 'echo hello {args.x}']).problems).toEqual([
      {
        index: 2,
        message: 'the argument "x" stands inside code that bash reads',
        hint: `Pass it behind the code: ['sh', '-c', 'echo "$1"', 'sh', '{args.x}'].`,
      },
    ]);
  });
});

it('S3 programs inside programs without end are refused, and quickly', () => {
  const deep = [...Array<string>(400).fill('sudo'), 'ls', '{args.x}'];
  expect(verdictOf(inspect(deep))).toBe('refused');
  expect(verdictOf(inspect([...Array<string>(20_000).fill('bash'), '{args.x}']))).toBe('refused');
  expect(verdictOf(inspect(['ls', ...Array<string>(400).fill('bash'), '{args.x}']))).toBe('asks');
  expect(verdictOf(inspect(['sh', '-c', '$('.repeat(9000), 'sh', '{args.x}']))).toBe('refused');
  expect(verdictOf(inspect(['sh', '-c', '$('.repeat(20_000), 'sh', '{args.x}']))).toBe('asks');
  expect(verdictOf(inspect(['sh', '-c', `zz ${'bash -x '.repeat(60_000)}`, 'sh', '{args.x}']))).toBe('asks');
});

describe('S3 arguments in the lines of a terminal', () => {
  const line = (text: string): string[] =>
    inspectLine(partsOfTemplate(parseTemplate(text, NAMES), PARAMETERS)).problems.map(({ message }) => message);

  it.each([
    'du -xh --max-depth={args.n} -- {args.x} 2>/dev/null | sort -rh | head -n 30',
    'systemctl status -- {args.x} || [ $? -eq 3 ]',
    'sudo -n systemctl restart -- {args.x}',
    'ps -eo pid --sort=-%{args.kind} | head -n {args.n}',
    'execute restore image tftp {args.x} 10.0.0.9',
    'set comment "{args.x}"',
    `bash -c 'echo "$1"' bash {args.x}`,
    'cd /srv && git log -- {args.x}',
    'show {args.x}',
  ])('may stand in %s', (text) => expect(line(text)).toEqual([]));

  it.each([
    'sh -c "ls {args.x}"',
    `sh -c 'ls '{args.x}`,
    'cd /x && eval ls {args.x}',
    'ls | xargs sh -c "rm {args.x}"',
    'PATH={args.x} ls',
    'sudo {args.x}',
    'true; {args.x} a',
    'echo $(python3 -c "print({args.x})")',
    'echo `perl -e "{args.x} 1"`',
    'docker exec c bash -c "ls {args.x}"',
    'find / -exec {args.x} ;',
    'ssh other ls {args.x}',
    'sudo su - ana -c "ls {args.x}"',
    'awk "/{args.x}/" /etc/passwd',
    'if true; then bash {args.x}; fi',
  ])('may not stand in %s', (text) => expect(line(text)).not.toEqual([]));

  it.each([
    `echo '{args.x}' | sh`,
    `[[ '{args.x}' -gt 5 ]]`,
    `declare -i n='{args.x}'`,
    `function f { eval '{args.x}'; }; f`,
    `python3 -m timeit '{args.x}'`,
    `bash <<< '{args.x}'`,
    `cat <(echo {args.x})`,
    `echo $((1 + {args.x}))`,
    `echo {args.x} | xargs -I% sh -c %`,
  ])('never run unasked in %s', (text) => {
    const { problems, doubts } = inspectLine(partsOfTemplate(parseTemplate(text, NAMES), PARAMETERS));
    expect([...problems, ...doubts]).not.toEqual([]);
  });
});
