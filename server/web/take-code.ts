/** The code of a login link. It is taken out of the address at once, and so is a token that somebody has put there. */
export function takeCode(): string | null {
  const hash = new URLSearchParams(location.hash.slice(1));
  const code = hash.get('code');
  if (code !== null || hash.has('token')) history.replaceState(null, '', location.pathname + location.search);
  return code;
}
