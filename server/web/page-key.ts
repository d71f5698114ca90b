const NAME = 'forge.page-key';

/**
 * The second half of being signed in. The cookie goes to every server of this computer, whatever its port; this stays with the origin, so it is
 * read anew for each request: another tab may have exchanged it.
 */
export const pageKey = {
  get: (): string => localStorage.getItem(NAME) ?? '',
  set: (key: string): void => localStorage.setItem(NAME, key),
  clear: (): void => localStorage.removeItem(NAME),
};
