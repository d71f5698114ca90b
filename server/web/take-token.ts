/** The token of a login link. It is taken out of the address at once, so that it stays in no history entry and no copied link. */
export function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
}
