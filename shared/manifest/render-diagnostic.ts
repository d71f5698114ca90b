import type { Diagnostic, Severity } from './diagnostic.ts';

/** Colours a piece of text; the identity where there is no terminal. */
export type Paint = (style: 'red' | 'yellow' | 'cyan' | 'dim' | 'bold', text: string) => string;

export const SEVERITY_COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<
  Severity,
  string
>;

const WINDOW = 120;

/** A finding the way compilers print it: place, message, the line with a caret below, and the way out. */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  file: string,
  text: string,
  paint: Paint = (_style, part) => part,
): string {
  const { line, column, endColumn, severity, message, rule, hint } = diagnostic;
  const colour = SEVERITY_COLOURS[severity];
  const head = `${paint('bold', `${file}:${line}:${column}`)} ${paint(colour, severity)} ${message} ${paint('dim', `[${rule}]`)}`;
  const source = (text.split('\n')[line - 1] ?? '').replace(/\r$/, '').replaceAll('\t', ' ');
  // A line of a minified script can be thousands of characters long; the caret must stay in view.
  const from = column > WINDOW - 20 ? column - WINDOW / 2 : 0;
  const shown = source.slice(from, from + WINDOW);
  const number = String(line);
  const caretWidth = Math.max(1, Math.min(endColumn - column, shown.length - (column - 1 - from)));
  const lines = [head, `${paint('cyan', `${number} |`)} ${shown}`];
  lines.push(
    `${' '.repeat(number.length)} ${paint('cyan', '|')} ${' '.repeat(Math.max(0, column - 1 - from))}${paint(colour, '^'.repeat(caretWidth))}`,
  );
  if (hint !== undefined) lines.push(`${' '.repeat(number.length)} ${paint('cyan', '=')} ${hint}`);
  return lines.join('\n');
}
