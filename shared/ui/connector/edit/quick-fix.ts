import type { LintAnswer } from '../../../api.ts';

type Finding = LintAnswer['diagnostics'][number];

/** A change that puts a finding right: what to write from one place to another. */
export interface QuickFix {
  label: string;
  from: number;
  to: number;
  insert: string;
}

const MEANT = /did you mean `([^`]+)`\?/;
const TOKEN = /`\{(?:settings|args)\.([^}`]+)\}`/;

/** Where a finding stands in the text; always inside it, whatever the finding says. */
export function rangeOf(text: string, { line, column, endColumn }: Finding): { from: number; to: number } {
  let start = 0;
  for (let number = 1; number < line; number += 1) {
    const next = text.indexOf('\n', start);
    if (next === -1) break;
    start = next + 1;
  }
  const lineEnd = text.indexOf('\n', start);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const from = Math.min(start + Math.max(0, column - 1), end);
  return { from, to: Math.max(from, Math.min(start + Math.max(0, endColumn - 1), end)) };
}

/** The fix that a finding's own words allow; null where a person has to think. */
export function quickFix(text: string, finding: Finding): QuickFix | null {
  const { from, to } = rangeOf(text, finding);
  const marked = text.slice(from, to);
  const meant = MEANT.exec(finding.message)?.[1];
  if (meant !== undefined) return replaceWord(text, finding, { from, marked, meant });
  if (finding.hint === 'Put it in quotes.' && /^[\w.+-]+$/.test(marked))
    return { label: 'Put it in quotes', from, to, insert: `"${marked}"` };
  if (finding.rule === 'secret-type' && marked === 'string')
    return { label: 'Make it a secret', from, to, insert: 'secret' };
  return null;
}

function replaceWord(
  text: string,
  { message }: Finding,
  { from, marked, meant }: { from: number; marked: string; meant: string },
): QuickFix | null {
  const label = `Change to ${meant}`;
  const inToken = TOKEN.exec(message)?.[1];
  const wrong = inToken ?? /^(["']?)([\w-]+)\1$/.exec(marked)?.[2];
  if (wrong === undefined) return null;
  // A token may stand anywhere in a value of several lines; everything else is what was marked.
  const around = inToken === undefined ? wrong : `.${wrong}}`;
  const at = text.indexOf(around, from);
  if (at === -1) return null;
  const start = inToken === undefined ? at : at + 1;
  return { label, from: start, to: start + wrong.length, insert: meant };
}
