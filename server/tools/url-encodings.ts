import type { Tool } from '../../shared/manifest/connector.ts';
import type { UrlEncoding } from '../../shared/template/url-encode.ts';

const known = new WeakMap<Tool, Record<string, UrlEncoding>>();

/** How each argument of a tool is written into the path of an address, where its parameter says so. */
export function encodingsOf(tool: Tool): Record<string, UrlEncoding> {
  let found = known.get(tool);
  if (found === undefined) {
    const entries = Object.entries(tool.parameters).flatMap(([name, { url_encoding }]) =>
      url_encoding === undefined ? [] : [[name, url_encoding] as const],
    );
    found = Object.fromEntries(entries);
    known.set(tool, found);
  }
  return found;
}
