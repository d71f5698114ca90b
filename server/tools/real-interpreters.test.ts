import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { isForgeError } from '../../shared/errors.ts';
import { inspectShellTool } from '../../shared/manifest/commands/inspect-shell-tool.ts';
import { expandArgv } from '../../shared/template/expand-argv.ts';
import { IS_THOROUGH } from '../../shared/testing/rounds.ts';
import { tempFolder } from '../testing/forge.ts';

const CANARY = 'canary';
/** What runs a command if one of the programs below reads it as code. */
const HOSTILE = [
  `x; touch ${CANARY}; #`,
  `'; touch ${CANARY}; '"; touch ${CANARY}; "$(touch ${CANARY})\`touch ${CANARY}\``,
  `__import__('os').system('touch ${CANARY}')`,
  `require('child_process').execSync('touch ${CANARY}')`,
  `system("touch ${CANARY}")`,
  `BEGIN { system("touch ${CANARY}") }`,
  `touch ${CANARY}|`,
  `1e touch ${CANARY}`,
  `-etouch ${CANARY}`,
  `-c touch ${CANARY}`,
  `LD_PRELOAD=x`,
  'evil',
  './evil',
  '-exec',
];

/** Programs that take their time to start get the values that are for them. */
const FOR_SLOW: Partial<Record<string, readonly number[]>> = { python3: [0, 2, 9, 12], node: [0, 3, 9, 12] };

/** A thorough run tries every value in every place. Otherwise they take turns, so that each value and each place is tried. */
const EVERY = IS_THOROUGH ? 1 : 4;

/** Commands that work, one per way in which a program reads code. */
const COMMANDS = [
  ['sh', '-c', 'printf %s "$1"', 'sh', 'a'],
  ['bash', '-e', '-c', 'echo "$0" "$@"', 'a', 'b'],
  ['bash', 'fine.sh', 'a'],
  ['python3', '-c', 'import sys; print(sys.argv)', 'a'],
  ['python3', 'fine.py', 'a'],
  ['node', '-e', 'console.log(process.argv)', 'a'],
  ['perl', '-e', 'print @ARGV', 'a'],
  ['perl', '-ne', 'print', 'fine.py'],
  ['awk', '-v', 'a=b', '{ print a }', 'fine.py'],
  ['sed', '-n', '-e', '1p', 'fine.py'],
  ['xargs', '-a', 'fine.py', '-n', '1', 'echo', 'a'],
  ['find', '.', '-maxdepth', '0', '-exec', 'echo', 'a', ';'],
  ['env', 'A=b', 'sh', '-c', 'echo "$A" "$1"', 'sh', 'a'],
  ['timeout', '20', 'env', 'echo', 'a'],
];

/** The argument in every place: in front of, in place of, joined to and behind each element but the program. */
function* waysOf(command: readonly string[]): Iterable<string[]> {
  for (let at = 1; at < command.length; at += 1) {
    const element = command[at] ?? '';
    for (const way of ['{args.x}', `${element}{args.x}`, `{args.x}${element}`]) yield command.with(at, way);
    yield command.toSpliced(at, 0, '{args.x}');
  }
  yield [...command, '{args.x}'];
}

it.each(COMMANDS.map((command) => [command[0] ?? '', command] as const))(
  'S3 an argument of %s is refused or stays data, wherever it stands',
  (program, command) => {
    const cwd = tempFolder();
    writeFileSync(path.join(cwd, 'fine.sh'), 'printf %s "$1"\n');
    writeFileSync(path.join(cwd, 'fine.py'), 'print(1)\n');
    writeFileSync(path.join(cwd, 'evil'), `touch ${CANARY}\n`, { mode: 0o755 });
    const known = HOSTILE.filter((_, index) => FOR_SLOW[program]?.includes(index) ?? true);
    let refused = 0;
    const ran = new Set<string>();
    for (const [turn, way] of [...waysOf(command)].entries()) {
      const values = known.filter((_, index) => (index + turn) % EVERY === 0);
      const { problems, wholeCode } = inspectShellTool({ command: way, parameters: { x: {} } }, new Set());
      if (problems.length + wholeCode.length > 0) {
        refused += 1;
        continue;
      }
      for (const value of values) {
        const argv = filled(way, value);
        if (argv === null) continue;
        ran.add(way.join(' '));
        spawnSync(argv[0] ?? '', argv.slice(1), { cwd, stdio: 'ignore', timeout: 30_000 });
        expect(existsSync(path.join(cwd, CANARY)), `${way.join(' ')} with ${value}`).toBe(false);
      }
    }
    expect(refused, program).toBeGreaterThan(0);
    // Something has to be left, or the rule would only say no.
    if (program !== 'perl' || command[1] !== '-ne') expect(ran.size, program).toBeGreaterThan(0);
  },
  300_000,
);

it('S3 the same values do run where an argument stands inside code, so the test above can fail', () => {
  const cwd = tempFolder();
  for (const [command, value] of [
    [['sh', '-c', 'echo {args.x}'], HOSTILE[0]],
    [['python3', '-c', '{args.x}'], HOSTILE[2]],
    [['node', '-e', '{args.x}'], HOSTILE[3]],
    [['awk', '{args.x}', '/dev/null'], HOSTILE[5]],
    [['perl', '-ne', 'print', '{args.x}'], HOSTILE[6]],
    [['sed', '-n', '{args.x}', '/etc/passwd'], HOSTILE[7]],
  ] as const) {
    const argv = filled(command, value ?? '') ?? [];
    spawnSync(argv[0] ?? '', argv.slice(1), { cwd, stdio: 'ignore' });
    expect(existsSync(path.join(cwd, CANARY)), command.join(' ')).toBe(true);
    rmSync(path.join(cwd, CANARY));
  }
});

/** Null where the value is refused because it starts with a dash. */
function filled(command: readonly string[], x: string): string[] | null {
  try {
    return expandArgv(command, { args: { x } }, { secrets: 'reveal', bareNames: new Set() });
  } catch (error) {
    if (isForgeError(error, 'unsafe_value')) return null;
    throw error;
  }
}
