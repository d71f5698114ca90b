import type { Inspect } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import { isOwnPattern, isOwnUrl, ownPageRefused } from '../../shared/own-origins.ts';
import { expandHostMatch } from '../../shared/template/host-match.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import { parseJson } from '../results/parse-json.ts';
import type { Masker } from '../secrets/masker.ts';
import { parseUrl } from '../../shared/parse-url.ts';

/** The part of the bridge that looks at a page. */
export interface InspectBridge {
  request(
    method: 'dom.inspect',
    params: Inspect,
    options: { browser?: string | undefined; connector: string; signal: StopSignal },
  ): Promise<{ result: { url: string }; body: string | null }>;
}

interface InspectRequest {
  host_match?: string | undefined;
  /** The page to open; without it a tab is looked at as it is. */
  url?: string | undefined;
  action: Inspect['action'];
  browser?: string | undefined;
  timeout_ms?: number | undefined;
}

export type InspectPage = (request: InspectRequest, signal: StopSignal) => Promise<{ url: string; value: JsonValue }>;

const INSPECT_TIMEOUT_MS = 15_000;

/** For whoever writes a connector: the outline of a page, what a selector finds, or what a script returns. */
export function createInspectPage(
  bridge: InspectBridge,
  masker: Masker,
  ownPorts: () => readonly number[],
): InspectPage {
  return async ({ host_match, url, action, browser, timeout_ms = INSPECT_TIMEOUT_MS }, signal) => {
    // One web site, as for a connector; nobody gets to look at whatever is open.
    const site = host_match ?? `${originOf(url)}/*`;
    const page = url === undefined ? {} : { url };
    const params: Inspect = { host_match: expandHostMatch(site, {}), ...page, action, timeout_ms };
    if (isOwnPattern(params.host_match, ownPorts())) throw ownPageRefused(params.host_match);
    if (url !== undefined && isOwnUrl(url, ownPorts())) throw ownPageRefused(originOf(url));
    const { result, body } = await bridge.request('dom.inspect', params, { browser, connector: '', signal });
    const value = parseJson(body ?? 'null');
    if (value === undefined) throw new ForgeError('result_not_json', 'the browser’s answer is not JSON');
    return { url: masker.redact(result.url), value: masker.redactJson(value).value };
  };
}

function originOf(url: string | undefined): string {
  if (url === undefined) throw new ForgeError('invalid_request', 'Say which page (url) or which tab (host_match).');
  const page = /^https?:/i.test(url) ? parseUrl(url) : null;
  if (page === null)
    throw new ForgeError('invalid_request', `${JSON.stringify(url.slice(0, 200))} is not the address of a web page.`, {
      hint: 'Give the whole address, such as https://host.example/page.',
    });
  return page.origin;
}
