/** A value as JSON, or how long it is: the beginning of a long one could be half a secret, which nothing would recognise. */
export function briefValue(value: unknown, maxChars = 80): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value);
  if (json.length <= maxChars) return json;
  const kind = typeof value === 'string' ? 'a text' : Array.isArray(value) ? 'a list' : 'a value';
  return `${kind} of ${json.length} characters`;
}
