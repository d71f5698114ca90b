import { templateSettings, type ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { Auth } from '../../shared/manifest/schema/auth.ts';
import { parseTemplate, tokensIn } from '../../shared/template/parse.ts';

/** Names of the settings that end up in an HTTP header, where a line break would be refused on every call. */
export function headerSettings(pack: ConnectorPackage): ReadonlySet<string> {
  const declared = new Set(Object.keys(templateSettings(pack.settings)));
  const templates = pack.connectors.flatMap((connector) => [
    ...authTemplates(connector.auth),
    ...(connector.test !== null && 'request' in connector.test ? headerTemplates(connector.test.request.headers) : []),
    ...Object.values(connector.tools).flatMap((tool) =>
      tool.protocol === 'http' ? [...headerTemplates(tool.request.headers), ...authTemplates(tool.auth)] : [],
    ),
  ]);
  const names = templates.flatMap((template) =>
    tokensIn(parseTemplate(template, declared)).map((token) => token.path[0] ?? ''),
  );
  return new Set(names.filter((name) => declared.has(name)));
}

function headerTemplates(headers: Record<string, string | number | boolean> | undefined): string[] {
  return Object.values(headers ?? {}).map(String);
}

function authTemplates(auth: Auth): string[] {
  switch (auth.type) {
    case 'bearer':
      return [auth.token];
    case 'header':
      return [auth.value];
    case 'bearer-token-exchange':
      return [auth.api_token ?? '', auth.exchange_auth_header ?? '', ...headerTemplates(auth.exchange_headers)];
    case 'session':
      return auth.login.flatMap(({ request }) => headerTemplates(request.headers));
    case 'basic':
    case 'query':
    case 'none':
      return [];
  }
}
