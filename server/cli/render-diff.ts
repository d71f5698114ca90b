import type { DiffAnswer } from '../../shared/diff-api.ts';
import { diffLines } from '../../shared/line-diff.ts';
import { changesByTool } from '../../shared/manifest/changes-by-tool.ts';
import { countOf } from './count-of.ts';
import { safeLine, safeText, type Terminal } from './terminal.ts';

type Line = DiffAnswer['lines'][number];

const LISTS = [
  ['flows', 'sends the secret'],
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
  row('sends', diff.flows.added);
  row('risks', diff.risks.added);
  row('destructive', diff.destructive.added);
  row('scripts', diff.scripts.length === 0 ? [] : [`${countOf(diff.scripts.length, 'script')} that run in web pages`]);
  row('tools', [countOf(diff.tools.added.length, 'tool')]);
}

/** What an update would change: a summary with what is new first, then every place. */
export function printDiff(terminal: Terminal, diff: DiffAnswer): void {
  const { out, paint } = terminal;
  const versions =
    diff.from_version === null ? `${diff.to_version} (new)` : `${diff.from_version} → ${diff.to_version}`;
  out(paint('bold', `${diff.id} ${versions}`));
  if (!diff.changed) out('  no change in what it sends, runs or tells a model');
  // New power is what to look at; what is gone needs no decision.
  for (const [sign, side, style] of [
    ['+', 'added', 'yellow'],
    ['-', 'removed', 'dim'],
  ] as const) {
    for (const [key, label] of LISTS)
      for (const item of diff[key][side]) out(paint(style, `  ${sign} ${safeLine(`${label} ${item}`)}`));
  }
  if (diff.from_version === null) return;
  for (const { tool, lines } of changesByTool(diff.lines)) {
    out(`  ${safeLine(tool ?? 'the connector itself')}`);
    for (const line of lines) printLine(terminal, line);
  }
}

function printLine(terminal: Terminal, { words, kind, before, after }: Line): void {
  const { out } = terminal;
  const [old, now] = [before ?? '', after ?? ''];
  const sign = { added: '+', removed: '-', changed: '~' }[kind];
  const place = `    ${sign} ${safeLine(words)}`;
  if (old.includes('\n') || now.includes('\n')) {
    out(place);
    printLines(terminal, old, now);
  } else if (kind === 'changed') {
    // Texts that differ in blanks alone are quoted, so that the difference is seen.
    const shown = safeLine(old) === safeLine(now) ? (text: string) => safeText(JSON.stringify(text)) : safeLine;
    out(`${place}: ${shown(old)} → ${shown(now)}`);
  } else out(`${place}${before === null && after === null ? '' : `: ${safeLine(after ?? old)}`}`);
}

function printLines({ out, paint }: Terminal, before: string, after: string): void {
  for (const line of diffLines(before, after)) {
    if (line.kind === 'skip') out(paint('dim', `        … ${countOf(line.count, 'line')}`));
    else if (line.kind === 'same') out(paint('dim', `        ${safeText(line.text)}`));
    else if (line.kind === 'added') out(paint('yellow', `      + ${safeText(line.text)}`));
    else out(paint('dim', `      - ${safeText(line.text)}`));
  }
}
