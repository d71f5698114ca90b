import type { UrlPrefix } from '../../shared/template/expand-url.ts';
import type { CallScope } from './call-scope.ts';

/** Who decided where a request goes: the manifest's text, a setting a person saved, or an argument of the call. */
export interface HostSource {
  host: string;
  from: 'manifest' | 'setting' | 'argument';
}

/**
 * The least trusted part decides: one argument makes the whole host the argument's, and one word of the manifest makes it the
 * manifest's. A person has named a host only where all of its name is a setting of theirs.
 */
export function hostSource({ origin, tokens, hostToken }: UrlPrefix, scope: CallScope): HostSource {
  const host = new URL(origin).host;
  if (tokens.some((token) => token.root === 'args')) return { host, from: 'argument' };
  const isSaved = hostToken !== null && scope.saved.has(hostToken.path[0] ?? '');
  return { host, from: isSaved ? 'setting' : 'manifest' };
}
