import type { Token } from '../../shared/template/parse.ts';
import type { CallScope } from './call-scope.ts';

/** Who decided where a request goes: the manifest's text, a setting a person saved, or an argument of the call. */
export interface HostSource {
  host: string;
  from: 'manifest' | 'setting' | 'argument';
}

/** The least trusted token decides: one argument in a host makes the whole host the argument's. */
export function hostSource(prefix: { origin: string; tokens: readonly Token[] }, scope: CallScope): HostSource {
  const host = new URL(prefix.origin).host;
  if (prefix.tokens.some((token) => token.root === 'args')) return { host, from: 'argument' };
  const isSaved = prefix.tokens.length > 0 && prefix.tokens.every((token) => scope.saved.has(token.path[0] ?? ''));
  return { host, from: isSaved ? 'setting' : 'manifest' };
}
