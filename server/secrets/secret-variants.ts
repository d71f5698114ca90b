const MIN_FRAGMENT_CHARS = 4;
/** What no encoder of JSON or addresses changes; most tokens are made of nothing else. */
const SAME_EVERYWHERE = /^[0-9A-Za-z._-]*$/;

/** Every spelling in which a secret is looked for: as it is, and as the encodings on the way in and out would write it. */
export function secretVariants(secret: string): Set<string> {
  const bytes = Buffer.from(secret, 'utf8');
  return new Set([
    ...plainSpellings(secret),
    ...base64Spellings(bytes),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]);
}

/** As it is, and as JSON and addresses write it. */
export function plainSpellings(secret: string): Set<string> {
  if (SAME_EVERYWHERE.test(secret)) return new Set([secret]);
  return new Set([
    ...lineSpellings(secret).flatMap((spelling) => [spelling, ...jsonSpellings(spelling)]),
    // Half a character has no spelling in an address.
    ...urlSpellings(Buffer.from(secret, 'utf8').toString('utf8')),
    ...htmlSpellings(secret),
  ]);
}

/** A key of several lines may come with the line breaks of another system. */
function lineSpellings(text: string): string[] {
  const unix = text.replaceAll('\r\n', '\n');
  return unix.includes('\n') ? [text, unix, unix.replaceAll('\n', '\r\n')] : [text];
}

/** As a JSON string, as a JSON string inside one, and as writers do that escape slashes or all that is not ASCII. */
function jsonSpellings(text: string): string[] {
  const once = inJson(text);
  const ascii = once.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const upper = ascii.replaceAll(/\\u[0-9a-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`);
  const spellings = [once, ascii, upper];
  return [...spellings, ...spellings.map((spelling) => spelling.replaceAll('/', '\\/')), inJson(once)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** As templates write it into a page: some escape quotes as numbers, some slashes and signs as well. */
function htmlSpellings(text: string): string[] {
  const numbered = (signs: RegExp, write: (code: number) => string): string =>
    text.replaceAll(signs, (sign) => NAMED[sign] ?? write(sign.charCodeAt(0)));
  const decimal = (code: number): string => `&#${code};`;
  return [
    numbered(/[&<>]/g, decimal),
    numbered(/[&<>"]/g, decimal),
    numbered(/[&<>"']/g, decimal),
    numbered(/[&<>"']/g, (code) => `&#x${code.toString(16)};`),
    numbered(/[&<>"'/`=]/g, (code) => `&#x${code.toString(16).toUpperCase()};`),
    text.replaceAll(/[&<>"']/g, (sign) => decimal(sign.charCodeAt(0))),
  ];
}

/** As part of a path, a query or a form; the encoders differ in what they leave alone and in the case of their hex digits. */
function urlSpellings(text: string): string[] {
  const component = encodeURIComponent(text);
  const strict = component.replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  const spellings = [component, strict, form, component.replaceAll('%20', '+'), encodeURI(text)];
  return spellings.flatMap((spelling) => [
    spelling,
    spelling.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  ]);
}

/** On its own, and inside something longer such as `user:password`, where it may start at any of three positions. */
function base64Spellings(bytes: Buffer): string[] {
  const spellings: string[] = [];
  for (const encoding of ['base64', 'base64url'] as const) {
    spellings.push(bytes.toString(encoding));
    for (const bytesBefore of [0, 1, 2]) {
      const encoded = Buffer.concat([Buffer.alloc(bytesBefore), bytes]).toString(encoding);
      // Only characters whose six bits all come from the secret; those at the edges depend on what stands around it.
      const fragment = encoded.slice(
        Math.ceil((bytesBefore * 8) / 6),
        Math.floor(((bytesBefore + bytes.length) * 8) / 6),
      );
      if (fragment.length >= MIN_FRAGMENT_CHARS) spellings.push(fragment);
    }
  }
  return spellings;
}
