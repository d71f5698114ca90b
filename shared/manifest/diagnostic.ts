/** `info` is a suggestion: nothing is wrong, and `--strict` does not count it. */
export type Severity = 'error' | 'warning' | 'info';

/** One finding of the linter: where it is, what is wrong, and what was probably meant. Lines and columns start at 1. */
export interface Diagnostic {
  severity: Severity;
  /** Stable name of the check, for filters and editors. */
  rule: string;
  message: string;
  hint?: string;
  /** Keys from the document's root down to the place. */
  path: string;
  line: number;
  column: number;
  endColumn: number;
}

/** A finding before it has been placed in the text. */
export interface Finding {
  severity: Severity;
  rule: string;
  message: string;
  hint?: string;
  path: readonly string[];
  /** `key` marks the key itself, `value` (the default) what stands behind it. */
  at?: 'key' | 'value';
  /** A place inside a multi-line text value, such as a line of a script. */
  within?: { line: number; column: number };
}

/** `tools.list.script` for messages; keys that are not plain words are quoted. */
export function formatPath(path: readonly string[]): string {
  return path
    .map((key, index) => {
      if (/^\d+$/.test(key) && index > 0) return `[${key}]`;
      const word = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
      return index === 0 ? word : `.${word}`;
    })
    .join('');
}
