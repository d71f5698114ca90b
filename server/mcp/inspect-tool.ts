import { ForgeError } from '../../shared/errors.ts';
import { INSPECT_TOOL } from '../tools/catalogue/builtin-definitions.ts';
import type { Scope } from '../tools/catalogue/tool-views.ts';
import type { InspectPage } from '../tools/inspect-page.ts';
import { leftOutText, matchLines, outlineLines } from '../tools/outline-text.ts';
import type { Peer } from './peer.ts';
import { parseUrl } from '../../shared/parse-url.ts';

export interface InspectDeps {
  inspectPage: InspectPage;
  hasBrowser: () => boolean;
}

const DEFAULT_LINES = 200;
const MAX_LINES = 1000;

/** It sees pages of every site that the person has allowed, so a client with limits does not get it. */
export function mayInspect({ limits }: Scope, { hasBrowser }: Pick<InspectDeps, 'hasBrowser'>): boolean {
  return limits === undefined && hasBrowser();
}

/** The list of tools with one more at its end. */
export function withInspectTool(listed: string): string {
  return listed.replace(/\]\}$/, `,${INSPECT_TOOL}]}`);
}

/** forge_inspect_page: what a page looks like, as text. What is on it counts as read from its site. */
export async function inspectForClient(
  deps: InspectDeps,
  { url, selector, limit = DEFAULT_LINES }: Readonly<Record<string, unknown>>,
  { scope, signal, read }: Pick<Peer, 'scope' | 'signal' | 'read'>,
): Promise<string> {
  if (!mayInspect(scope, deps)) throw new ForgeError('tool_not_found', 'There is no such tool for this client.');
  if (typeof url !== 'string') throw new ForgeError('invalid_argument', 'url must be the address of a page.');
  if (selector !== undefined && typeof selector !== 'string')
    throw new ForgeError('invalid_argument', 'selector must be a text.');
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MAX_LINES)
    throw new ForgeError('invalid_argument', `limit must be a whole number from 1 to ${MAX_LINES}.`);
  const action =
    selector === undefined
      ? ({ kind: 'outline', max_nodes: Number(limit) } as const)
      : ({ kind: 'selector', selector } as const);
  const answer = await deps.inspectPage({ url, action }, signal);
  for (const address of [url, answer.url]) {
    const host = parseUrl(address)?.host;
    if (host !== undefined) read.add(host);
  }
  const lines =
    selector === undefined ? [...outlineLines(answer.value), leftOutText(answer.value)] : matchLines(answer.value);
  return [answer.url, ...lines].join('\n');
}
