import { terminalConfig } from '../config.ts';
import type { Io } from './io.ts';
import { renderTable, type Cell, type Column } from './table.ts';

const STYLES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1, italic: 3, underline: 4 } as const;

export type Style = keyof typeof STYLES;

/** Control characters could move the cursor or recolour the screen; bidirectional marks could make code read differently than it runs. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Colours and movements of the cursor as programs print them; nothing that could hide the text behind it. */
const SEQUENCE = /\u001b\[[0-9;?]*[@-~]/g;

/** Text from manifests, registries and servers as it may be shown: one visible mark for each character that is not. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, '\uFFFD');
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text.trim().replaceAll(/\s+/g, ' '));
}

/** Text that was meant for a screen or a file, for the screen: line breaks are kept, colours and cursor movements are not. */
export function screenText(text: string): string {
  return safeText(text.replaceAll(SEQUENCE, '').replaceAll(/\r\n?/g, '\n'));
}

export type Terminal = ReturnType<typeof createTerminal>;

/** What commands print with. Colours only where somebody sees them and has not switched them off. */
export function createTerminal({ stdout, stderr, env }: Io) {
  const isScreen = stdout.isTTY === true;
  const { color } = terminalConfig(env);
  // A terminal that does not know its size says 0.
  const width = isScreen && stdout.columns !== 0 ? stdout.columns : undefined;
  const painter =
    (isTTY: boolean) =>
    (style: Style, text: string): string =>
      isTTY && color ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  const paint = painter(isScreen);
  const paintErr = painter(stderr.isTTY === true);
  const out = (line = ''): void => void stdout.write(`${line}\n`);
  const err = (line: string): void => void stderr.write(`${line}\n`);
  return {
    paint,
    /** For what goes to standard error. */
    paintErr,
    /** Whether somebody sees styles on standard output. */
    isStyled: isScreen && color,
    /** Columns of the screen; undefined when nothing has to fit. */
    width,
    out,
    err,
    /** Something the person should know although the command goes on. */
    warn: (line: string): void => err(`forge: ${safeLine(line)}`),
    /** Something beside the output that nobody has to read. */
    note: (line: string): void => err(paintErr('dim', safeLine(line))),
    /** A text as a tool returned it: unchanged for a file or another program, safe to look at on a screen. */
    text: (text: string): void => {
      const shown = isScreen ? screenText(text) : text;
      if (shown !== '') stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
    },
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
