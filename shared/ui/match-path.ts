/** Reads `/settings/connectors/jira` by a pattern such as `/settings/connectors/:id`; null when it does not fit. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.replace(/\/+$/, '').split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== value) return null;
    } else {
      const decoded = decode(value);
      if (decoded === null || decoded === '') return null;
      params[part.slice(1)] = decoded;
    }
  }
  return params;
}

/** Null for a badly encoded part: a mistyped address is a page that is not there, not a crash. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
