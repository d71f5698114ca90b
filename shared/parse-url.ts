/**
 * An address, or null for text that is none. Instead of `URL.canParse`: in Node 20 that denies every address with a letter such as ü once
 * its caller has been compiled, and a rule that looks at nothing else would then let the address pass.
 */
export function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
