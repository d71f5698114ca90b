import type { Maskers } from '../secrets/maskers.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { SecretBox } from './settings.ts';

/** Credentials that callers bring along, such as the token of a callback, are known to the log before they can reach it. */
export function withBorrowedKnown(secrets: Secrets, { learnBorrowed }: Maskers): SecretBox {
  return {
    get state() {
      return secrets.state;
    },
    prepare: () => secrets.prepare(),
    seal: (text, place) => {
      learnBorrowed(text);
      return secrets.seal(text, place);
    },
    open: (sealed, place) => {
      const secret = secrets.open(sealed, place);
      learnBorrowed(secret.reveal());
      return secret;
    },
  };
}
