import { ForgeError } from '../errors.ts';
import { FORGE } from '../forge-command.ts';
import { isRecord } from '../json.ts';
import { parseTemplate, tokensIn, type Token } from './parse.ts';

type Namespace = Token['root'];

/** What the templates of a place may name. */
export interface Namespaces {
  readonly allowed: ReadonlySet<Namespace>;
  /** Why the others are not there, as the end of a sentence. */
  readonly why: string;
}

/** A request, a command or a page: nothing has come back yet. Where a login has captured something is for rules/session.ts to say. */
export const CALL_NAMESPACES: Namespaces = {
  allowed: new Set<Namespace>(['settings', 'bare', 'args', 'captured']),
  why: 'only a watch has results and polls',
};
/** The Test button passes no arguments. */
export const TEST_NAMESPACES: Namespaces = {
  allowed: new Set<Namespace>(['settings', 'bare', 'captured']),
  why: 'a test has no arguments',
};
/** Injected fields, which no caller may decide (C-87). */
export const INJECT_NAMESPACES: Namespaces = {
  allowed: new Set<Namespace>(['settings', 'bare']),
  why: 'injected fields are filled from settings only',
};
/** What a watch keeps is built before its first poll. */
export const WATCH_NAMESPACES: Namespaces = {
  allowed: new Set<Namespace>(['settings', 'bare', 'args', 'result']),
  why: 'it is filled in before the first poll',
};

/** The first token anywhere in a value that its place has no value for; it would be empty always. */
function foreignToken(value: unknown, names: ReadonlySet<string>, { allowed }: Namespaces): Token | null {
  if (typeof value === 'string')
    return tokensIn(parseTemplate(value, names)).find(({ root }) => !allowed.has(root)) ?? null;
  const inner = Array.isArray(value) ? value : isRecord(value) ? Object.entries(value).flat() : [];
  for (const item of inner) {
    const found = foreignToken(item, names, { allowed, why: '' });
    if (found !== null) return found;
  }
  return null;
}

/** Refuses a manifest that names what is not there, where an empty value would otherwise be sent. */
export function requireNamespaces(value: unknown, names: ReadonlySet<string>, namespaces: Namespaces): void {
  const token = foreignToken(value, names, namespaces);
  if (token === null) return;
  throw new ForgeError('invalid_manifest', `${token.source} has no value here: ${namespaces.why}.`, {
    hint: `Correct it in the connector’s manifest; \`${FORGE} connector lint\` shows the place.`,
  });
}
