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

/** Characters that hide or turn around others are written out, so that a text means what it looks like. */
export function withoutTricks(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function toShown(name: string, value: unknown): ShownArg {
  const text = withoutTricks(typeof value === 'string' ? value : compact(value));
  return { name: withoutTricks(name), text, isBlock: text.length > MAX_INLINE || text.includes('\n') };
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
