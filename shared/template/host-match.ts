import { ForgeError } from '../errors.ts';
import { asTemplate, isSetting, lookUp, textOf, unsafe } from './scope.ts';
import type { Scope } from './scope.ts';
import { tokensIn } from './parse.ts';
import type { Template } from './parse.ts';
import { placeUrlParts } from './url-positions.ts';
import { fillUrl } from './url-values.ts';
import { parseUrl } from '../parse-url.ts';

/** Fills `host_match` into the pattern that picks a tab: http or https, a real host, its port kept (W-17, W-18). */
export function expandHostMatch(
  template: Template | string,
  scope: Scope,
  names: { readonly bareNames?: ReadonlySet<string> } = {},
): string {
  const options = { ...names, secrets: 'refuse' } as const;
  const parsed = asTemplate(template, scope, options);
  for (const token of tokensIn(parsed)) {
    if (!isSetting(token)) throw unsafe(token, 'may not decide which tabs a connector can use');
    if (textOf(lookUp(scope, token), token, 'refuse').includes('*')) throw unsafe(token, 'may not contain "*"');
  }
  const text = fillUrl(placeUrlParts(parsed), scope, options)
    .map((piece) => piece.text)
    .join('');
  return canonicalPattern(text);
}

/** Writes scheme and host as browsers do (lower case, punycode, no default port), so that they equal a tab's address. */
function canonicalPattern(text: string): string {
  const match = /^(\*|https?):\/\/(\*\.)?([^/?#\\@*]+?)(:\*)?(\/.*)?$/is.exec(text);
  const [, scheme = '', wildcard = '', host = '', anyPort = '', path = '/*'] = match ?? [];
  const address = `${scheme === '*' ? 'https' : scheme}://${host}`;
  const url = match && parseUrl(address);
  // Looked at last, because writing a host as browsers do can turn `%2a` and other forms of the asterisk into a plain one.
  if (!url || !/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) {
    throw new ForgeError('invalid_manifest', `"${text}" is not a pattern for one web site.`, {
      hint: 'Write host_match as "{base_url}/*" or "https://host.example/*", with a full address in the setting.',
    });
  }
  // A scheme that is left open has no default port, so the port stays as written.
  const port = scheme === '*' ? (/:[0-9]+$/.exec(host)?.[0] ?? '') : url.port === '' ? '' : `:${url.port}`;
  return `${scheme.toLowerCase()}://${wildcard}${url.hostname}${port}${anyPort}${path}`;
}
