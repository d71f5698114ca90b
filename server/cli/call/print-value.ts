import { isRecord, ownValue } from '../../../shared/json.ts';
import { cut } from '../table.ts';
import { safeLine, type Terminal } from '../terminal.ts';
import { fitColumns } from './fit-columns.ts';

type Item = Record<string, unknown>;

const MIN_VALUE = 20;

/** What a tool returned, as a person reads it: lists as tables, objects line by line, text as it is. */
export function printValue(terminal: Terminal, value: unknown): void {
  if (typeof value === 'string') terminal.text(value);
  else if (isTable(value)) printRows(terminal, value);
  else if (Array.isArray(value)) printList(terminal, value);
  else if (isRecord(value)) printFields(terminal, value);
  else if (value === null || value === undefined) terminal.note('(nothing came back)');
  else terminal.out(inline(value));
}

function isTable(value: unknown): value is Item[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function printList(terminal: Terminal, list: readonly unknown[]): void {
  if (list.length === 0) terminal.note('(an empty list)');
  for (const item of list) terminal.out(inline(item));
}

/** One column for each key that occurs; what a screen has no room for is named below. */
function printRows(terminal: Terminal, items: readonly Item[]): void {
  const keys = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const titles = keys.map(safeLine);
  const rows = items.map((item) => keys.map((key) => inline(ownValue(item, key))));
  const { width } = terminal;
  if (width === undefined) {
    terminal.table(columns(titles), rows);
    return;
  }
  const fitted = fitColumns([titles, ...rows], width);
  const fit = (row: readonly string[]) => fitted.widths.map((size, index) => cut(row[index] ?? '', size));
  terminal.table(columns(fit(titles)), rows.map(fit));
  if (fitted.count < keys.length)
    terminal.note(`(not shown: ${titles.slice(fitted.count).join(', ')}; --json prints everything)`);
}

function columns(titles: readonly string[]) {
  return titles.map((title) => ({ title }));
}

/** Keys and values, then the lists of objects, each as a table of its own. */
function printFields(terminal: Terminal, item: Item): void {
  const entries = Object.entries(item);
  if (entries.length === 0) terminal.note('(an empty object)');
  const plain = entries.filter(([, value]) => !isTable(value));
  const size = Math.max(0, ...plain.map(([key]) => safeLine(key).length));
  for (const [key, value] of plain) {
    const name = safeLine(key).padEnd(size);
    if (typeof value === 'string' && value.trim().includes('\n')) {
      terminal.out(terminal.paint('bold', safeLine(key)));
      terminal.text(value);
    } else terminal.out(`${terminal.paint('bold', name)}  ${shortened(terminal, value, size + 2)}`.trimEnd());
  }
  for (const [key, value] of entries) {
    if (!isTable(value)) continue;
    if (plain.length > 0 || entries.length > 1) terminal.out();
    terminal.out(terminal.paint('bold', safeLine(key)));
    printRows(terminal, value);
  }
}

/** Nested values only as far as the line goes; text in full. */
function shortened({ width }: Terminal, value: unknown, indent: number): string {
  const text = inline(value);
  if (width === undefined || typeof value !== 'object') return text;
  return cut(text, Math.max(MIN_VALUE, width - indent));
}

/** A value on one line. */
function inline(value: unknown): string {
  if (value === null || value === undefined) return '';
  return safeLine(typeof value === 'string' ? value : JSON.stringify(value));
}
