import { ForgeError } from '../../../shared/errors.ts';
import type { Auth } from '../../../shared/manifest/schema/auth.ts';
import { Secret } from '../../../shared/secret.ts';
import { expandText } from '../../../shared/template/expand-text.ts';
import { NO_AUTH, type Scheme } from '../plan.ts';

const MASK = String(new Secret(''));

/** `Authorization: Basic base64(user:password)`, in UTF-8 (C-58). One half may be empty: an API key often stands alone. */
export const basic: Scheme<Extract<Auth, { type: 'basic' }>> = (auth, scope, options) => {
  const username = expandText(auth.username, scope, options);
  const password = expandText(auth.password, scope, options);
  if (username === '' && password === '') return NO_AUTH;
  requireSendable('user name', username, /[\p{Cc}:]/u);
  requireSendable('password', password, /\p{Cc}/u);
  // Base64 of a mask would look like a credential and say nothing.
  const value = options.secrets === 'mask' ? MASK : Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
  return { kind: 'static', headers: { Authorization: `Basic ${value}` }, query: [] };
};

/** A colon would move the border between the two halves, and a pasted line break would only show as a refused login. */
function requireSendable(what: string, text: string, unsendable: RegExp): void {
  const found = unsendable.exec(text)?.[0];
  if (found === undefined) return;
  const problem = found === ':' ? 'a colon' : 'a line break or another control character';
  throw new ForgeError('unsafe_value', `The ${what} contains ${problem}, which basic auth cannot carry.`, {
    hint: 'Correct it under Settings → Connectors.',
  });
}
