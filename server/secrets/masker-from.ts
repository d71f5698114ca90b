import type { Finder, FinderData } from './finder.ts';
import { GuessableSecrets } from './guessable-secrets.ts';
import { createMasker, type Masker } from './masker.ts';
import { SecretSet } from './secret-set.ts';

/** The masker that `data` was taken from, in another thread. */
export function maskerFrom(data: readonly FinderData[]): Masker {
  return createMasker(data.map(finderFrom));
}

function finderFrom(data: FinderData): Finder {
  const finder = data.kind === 'secrets' ? new SecretSet() : new GuessableSecrets();
  for (const secret of data.secrets) finder.add(secret);
  return finder instanceof GuessableSecrets && data.kind === 'guessable' && data.words.length > 0
    ? finder.among(data.words)
    : finder;
}
