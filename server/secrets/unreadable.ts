import { ForgeError } from '../../shared/errors.ts';

/** The one way to say that a secret does not open; it never comes with an empty value instead. */
export function secretsUnreadable(reason: string, cause?: unknown, hint?: string): ForgeError {
  return new ForgeError('secrets_unreadable', `secrets cannot be read: ${reason}`, {
    cause,
    ...(hint === undefined ? {} : { hint }),
  });
}
