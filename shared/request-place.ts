/** Who answers a request: the API, the documents in which a person confirms something, or the page. */
export type RequestPlace = 'api' | 'confirm' | 'page';

const API_NAMES: ReadonlySet<string> = new Set(['api', 'mcp', 'external', 'engine', 'metrics', 'bridge']);

/**
 * The one decision about a path, for the guard, the router, the page and the bridge. It goes by the first name however that is written, so
 * that no spelling of /api is treated as a page; the router itself takes the exact spelling only.
 */
export function placeOf(path: string): RequestPlace {
  const first = firstName(path);
  // What cannot be read is treated as what is guarded best.
  if (first === null || API_NAMES.has(first)) return 'api';
  return first === 'confirm' ? 'confirm' : 'page';
}

function firstName(path: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  const names: string[] = [];
  for (const name of decoded.normalize('NFKC').toLowerCase().replaceAll('\\', '/').split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return (names[0] ?? '').replace(/[\s;\u0000-\u001f\u200b-\u200f\u2060\ufeff].*$/s, '');
}
