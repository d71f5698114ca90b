import type { ParamsOf } from '../../shared/bridge.ts';

/** What a browser can be asked to do in a tab. */
export type RoutedMethod = 'connector.run' | 'connector.probe' | 'dom.inspect' | 'tab.focus';

/** What a tab is looked for by. */
export type Site = ParamsOf<'tab.has'>;

/** The site a request is about; null for one that is about a tab that is known already. */
export function siteOf(params: ParamsOf<RoutedMethod>): Site | null {
  if ('acquire' in params) {
    const { host_match, login_redirect } = params.acquire;
    return { host_match, login_redirect };
  }
  if ('tab_id' in params) return null;
  return {
    host_match: params.host_match,
    login_redirect: 'login_redirect' in params ? (params.login_redirect ?? null) : null,
  };
}
