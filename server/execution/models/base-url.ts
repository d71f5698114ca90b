import { ForgeError } from '../../../shared/errors.ts';

/** The address of a model server, ready to have a path put behind it. One without a path gets the provider's usual one. */
export function baseUrlOf(text: string, apiPath: string): string {
  let url: URL | null = null;
  try {
    url = new URL(text.trim());
  } catch {
    // Told below, like addresses of another kind.
  }
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ForgeError('invalid_settings', 'the base URL must begin with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw new ForgeError('invalid_settings', 'the base URL must not hold a name or a password; save the key as a key');
  if (url.search !== '' || url.hash !== '')
    throw new ForgeError('invalid_settings', 'the base URL must end with its path');
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? apiPath : path}`;
}
