import { terminalConfig } from '../config.ts';
import type { Io } from './io.ts';
import { renderTable, type Cell, type Column } from './table.ts';

const STYLES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

export type Style = keyof typeof STYLES;

/** Control characters could move the cursor or recolour the screen; bidirectional marks could make code read differently than it runs. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text from manifests, registries and servers as it may be shown: one visible mark for each character that is not. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, '\uFFFD');
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text.trim().replaceAll(/\s+/g, ' '));
}

export type Terminal = ReturnType<typeof createTerminal>;

/** What commands print with. Colours only where somebody sees them and has not switched them off. */
export function createTerminal({ stdout, stderr, env }: Io) {
  const hasColor = stdout.isTTY === true && terminalConfig(env).color;
  // A terminal that does not know its size says 0.
  const width = stdout.isTTY === true && stdout.columns !== 0 ? stdout.columns : undefined;
  const paint = (style: Style, text: string): string => (hasColor ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
  const out = (line = ''): void => void stdout.write(`${line}\n`);
  return {
    paint,
    out,
    err: (line: string): void => void stderr.write(`${line}\n`),
    /** Something the person should know although the command goes on. */
    warn: (line: string): void => void stderr.write(`forge: ${safeLine(line)}\n`),
    table: (columns: readonly Column[], rows: readonly (readonly Cell[])[]): void => {
      for (const line of renderTable(columns, rows, { width, paint })) out(line);
    },
  };
}

/** JSON for other programs; what a terminal would act on is escaped, so that it is safe to look at as well. */
export function printJson(terminal: Terminal, value: unknown): void {
  const text = JSON.stringify(value, null, 2);
  terminal.out(text.replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`));
}
