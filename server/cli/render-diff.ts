import type { DiffAnswer } from '../../shared/api.ts';
import { countOf } from './count-of.ts';
import { diffLines } from '../../shared/line-diff.ts';
import { safeLine, safeText, type Terminal } from './terminal.ts';

type Change = DiffAnswer['hosts'];

const LISTS = [
  ['hosts', 'talks to'],
  ['sites', 'works in tabs of'],
  ['commands', 'runs'],
  ['secrets', 'asks for the secret'],
  ['risks', 'risk'],
  ['destructive', 'destructive tool'],
  ['tools', 'tool'],
] as const;

/** What a connector can reach, for a person who is about to install it for the first time. */
export function printReach({ out, paint }: Terminal, diff: DiffAnswer): void {
  out(paint('bold', `${diff.id} ${diff.to_version} will be able to reach:`));
  const row = (label: string, items: readonly string[]) => {
    for (const [index, item] of items.entries()) out(`  ${(index === 0 ? label : '').padEnd(11)} ${safeLine(item)}`);
  };
  row('hosts', diff.hosts.added);
  row('sites', diff.sites.added);
  row('commands', diff.commands.added);
  row('secrets', diff.secrets.added);
  row('risks', diff.risks.added);
  row('destructive', diff.destructive.added);
  row('scripts', diff.scripts.length === 0 ? [] : [`${countOf(diff.scripts.length, 'script')} that run in web pages`]);
  row('tools', [countOf(diff.tools.added.length, 'tool')]);
}

/** What an update would change: what comes new first, because that is what a person has to decide about. */
export function printDiff(terminal: Terminal, diff: DiffAnswer): void {
  const { out, paint } = terminal;
  const versions =
    diff.from_version === null ? `${diff.to_version} (new)` : `${diff.from_version} → ${diff.to_version}`;
  out(paint('bold', `${diff.id} ${versions}`));
  if (!diff.changed) out('  no change in what it can reach or run');
  for (const [sign, side] of [
    ['+', 'added'],
    ['-', 'removed'],
  ] as const) {
    for (const line of changeLines(diff, side))
      out(paint(side === 'added' ? 'green' : 'red', `  ${sign} ${safeLine(line)}`));
  }
  for (const script of diff.scripts.filter(({ kind }) => kind === 'changed')) {
    out(`  ~ script of ${script.tool}`);
    printLines(terminal, script.before, script.after);
  }
}

function changeLines(diff: DiffAnswer, side: keyof Change): string[] {
  return [
    ...LISTS.flatMap(([key, label]) => diff[key][side].map((item) => `${label} ${item}`)),
    ...diff.parameters.flatMap((change) => change[side].map((item) => `parameter of ${change.tool}: ${item}`)),
    ...diff.scripts.filter(({ kind }) => kind === side).map(({ tool }) => `script of ${tool}`),
  ];
}

function printLines({ out, paint }: Terminal, before: string, after: string): void {
  for (const line of diffLines(before, after)) {
    if (line.kind === 'skip') out(paint('dim', `      … ${countOf(line.count, 'line')}`));
    else if (line.kind === 'same') out(paint('dim', `      ${safeText(line.text)}`));
    else
      out(
        paint(
          line.kind === 'added' ? 'green' : 'red',
          `    ${line.kind === 'added' ? '+' : '-'} ${safeText(line.text)}`,
        ),
      );
  }
}
