import { UsageError } from './usage-error.ts';

/** For options that may be given several times. */
export function collectValues(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** `name=value` of an option; the value may hold further equals signs. */
export function splitPair(text: string, option: string, hint = `Write it as ${option} name=value.`): [string, string] {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new UsageError(`${option} needs a name and a value`, hint);
}
