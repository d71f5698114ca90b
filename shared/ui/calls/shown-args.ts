import { plainText } from '../plain-text.ts';

/** An argument as a person reads it. */
export interface ShownArg {
  readonly name: string;
  readonly text: string;
  /** Long texts and structures are set apart. */
  readonly isBlock: boolean;
}

const MAX_INLINE = 60;

/** The arguments of a call, every one of them in full; nothing is left out of a question. */
export function shownArgs(json: string): ShownArg[] {
  const args: unknown = parse(json);
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [toShown('arguments', args)];
  return Object.entries(args).map(([name, value]) => toShown(name, value));
}

function toShown(name: string, value: unknown): ShownArg {
  const text = plainText(typeof value === 'string' ? value : compact(value));
  return { name: plainText(name), text, isBlock: text.length > MAX_INLINE || text.includes('\n') };
}

function compact(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length > MAX_INLINE ? JSON.stringify(value, null, 2) : line;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
