import type { Connection } from './client.ts';

/** A new link that logs the page of a running Forge in, once. */
export async function loginLink({ url, api }: Connection): Promise<string> {
  return `${url}/#code=${await api.loginCode()}`;
}
