import { isRecord } from '../../json.ts';

/** What the linter found, as an error of the server carries it. */
export interface Finding {
  line: number;
  message: string;
  hint: string;
}

/** The errors among the details of an answer; empty when they are something else. */
export function findingsOf(details: unknown): Finding[] {
  if (!Array.isArray(details)) return [];
  return details
    .filter(isRecord)
    .flatMap(({ severity, line, message, hint }) =>
      severity === 'error' && typeof line === 'number' && typeof message === 'string'
        ? [{ line, message, hint: typeof hint === 'string' ? hint : '' }]
        : [],
    );
}
