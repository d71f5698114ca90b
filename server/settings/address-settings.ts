import { templateSettings, type ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { Auth } from '../../shared/manifest/schema/auth.ts';
import { parseTemplate } from '../../shared/template/parse.ts';
import { isSetting } from '../../shared/template/scope.ts';

/** Names of the settings that an address begins with: without https:// or http:// every call would be refused. */
export function addressSettings(pack: ConnectorPackage): ReadonlySet<string> {
  const declared = new Set(Object.keys(templateSettings(pack.settings)));
  const templates = pack.connectors.flatMap(({ auth, host_match, test, tools }) => [
    host_match ?? '',
    ...exchangeUrl(auth),
    ...(test !== null && 'request' in test ? [test.request.url, ...exchangeUrl(test.auth)] : []),
    ...Object.values(tools).flatMap((tool) => {
      if (tool.protocol === 'http') return [tool.request.url, ...exchangeUrl(tool.auth)];
      return tool.protocol === 'browser' ? [tool.page?.url ?? ''] : [];
    }),
  ]);
  return new Set(
    templates.flatMap((template) => {
      const [first] = parseTemplate(template.trim(), declared).parts;
      if (first?.kind !== 'token' || !isSetting(first.token) || first.token.path.length !== 1) return [];
      return first.token.path.filter((name) => declared.has(name));
    }),
  );
}

function exchangeUrl(auth: Auth | undefined): string[] {
  return auth?.type === 'bearer-token-exchange' ? [auth.exchange_url] : [];
}
