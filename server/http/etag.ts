/** Whether a client that sent this `If-None-Match` has what the tag stands for; a tag marked weak counts too, as HTTP says. */
export function isKnownTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  // A tag may hold a comma, so the header is not split but read tag by tag.
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, tag]) => tag === etag);
}
