import type { Acquire } from '../../shared/bridge.ts';
import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import type { BrowserTool, Connector } from '../../shared/manifest/connector.ts';
import { isOwnPattern, isOwnUrl, ownPageRefused } from '../../shared/own-origins.ts';
import { Secret } from '../../shared/secret.ts';
import { expandText } from '../../shared/template/expand-text.ts';
import { expandUrl, urlPrefix } from '../../shared/template/expand-url.ts';
import { expandHostMatch } from '../../shared/template/host-match.ts';
import { expandScript, parseScript, type ScriptTemplate } from '../../shared/template/script.ts';
import type { BrowserJob } from '../runners/job.ts';
import type { CallScope, ExpandOptions } from './call-scope.ts';
import { callTitle } from './call-title.ts';
import { hostSource, type HostSource } from './host-source.ts';
import { createKept } from './kept-by-settings.ts';
import { encodingsOf } from './url-encodings.ts';

type Names = Pick<ExpandOptions, 'bareNames' | 'ownPorts'>;

/** The tabs of a service, and how to tell that nobody is logged in there. */
export type Site = Pick<Acquire, 'host_match' | 'login_redirect' | 'login_selector'> & {
  logged_in_selector: string | null;
};

/** Everything here goes to the browser, so a secret is refused wherever it stands, in a dry run too. */
const REFUSE = { secrets: 'refuse' } as const;

const scripts = new WeakMap<BrowserTool, ScriptTemplate>();
const settingTexts = new WeakMap<object, string>();
const places = createKept<Place>();

/** Where a tool runs: usually the same for every call. */
interface Place {
  acquire: Acquire;
  frame: string | null;
  hosts: HostSource[];
  /** As a person reads it. */
  host: string;
}

/** Stage 6 for browser tools: the extension gets the whole job each time and fills in nothing (K-05). */
export function expandBrowserTool(
  tool: BrowserTool,
  connector: Connector,
  scope: CallScope,
  { bareNames, ownPorts }: Names,
): { job: BrowserJob; hosts: HostSource[] } {
  const find = () => placeOf(tool, connector, scope, { bareNames, ownPorts });
  const { acquire, frame, hosts, host } = dependsOnArguments(tool, connector)
    ? find()
    : places(scope.settings, tool, find);
  const job: BrowserJob = {
    protocol: 'browser',
    connector: connector.id,
    tool: tool.name,
    title: callTitle(connector, tool, host),
    acquire,
    runner: tool.runner,
    frame,
    script: expandScript(scriptOf(tool, bareNames), scope),
    args: JSON.stringify(scope.args),
    settings: settingsText(scope.settings),
    timeoutMs: tool.timeout_ms,
    expect: { ok_status: tool.page?.ok_status ?? [], selector: tool.expect?.require_selector ?? null },
    mayJoin: !tool.destructive,
    look: tool.page?.url?.includes('{args') === true ? 'site' : 'page',
  };
  return { job, hosts };
}

const answers = new WeakMap<BrowserTool, boolean>();

function dependsOnArguments(tool: BrowserTool, { host_match, login_redirect }: Connector): boolean {
  let answer = answers.get(tool);
  if (answer === undefined) {
    answer = JSON.stringify([tool.page ?? null, host_match, login_redirect]).includes('{args');
    answers.set(tool, answer);
  }
  return answer;
}

function placeOf(tool: BrowserTool, connector: Connector, scope: CallScope, names: Names): Place {
  const page = pageOf(tool, scope, names);
  const acquire: Acquire = {
    ...expandSite(connector, scope, names, page === null ? null : `${page.origin}/*`),
    ...(tool.logged_in_selector === undefined ? {} : { logged_in_selector: orNull(tool.logged_in_selector) }),
    url: page?.url ?? null,
    on_target: textOrNull(tool.page?.on_target, scope, names),
    settle_ms: tool.page?.settle_after_load_ms ?? 0,
    tab_strategy: tool.tab_strategy,
  };
  const frame = textOrNull(tool.page?.frame, scope, names);
  if (frame !== null && isOwnPattern(frame, names.ownPorts)) throw ownPageRefused(hostOfPattern(frame));
  return {
    acquire,
    frame,
    hosts: page === null ? [] : [page.host],
    host: page?.host.host ?? hostOfPattern(acquire.host_match),
  };
}

/** `jira.acme.com` of `https://jira.acme.com/*`. */
export function hostOfPattern(pattern: string): string {
  return /^[^/]*:\/\/([^/]+)/.exec(pattern)?.[1] ?? pattern;
}

/** Also for a probe, which looks at the tab and runs nothing. `fallback` stands in for a host_match that is not there. */
export function expandSite(connector: Connector, scope: CallScope, names: Names, fallback: string | null = null): Site {
  const { host_match, login_redirect, test } = connector;
  if (host_match === null && fallback === null) {
    throw new ForgeError('invalid_manifest', `${connector.name} does not say which tabs it works in`, {
      hint: 'Add host_match to its manifest, such as "{base_url}/*".',
    });
  }
  const pattern = expandHostMatch(host_match ?? fallback ?? '', scope, names);
  if (isOwnPattern(pattern, names.ownPorts)) throw ownPageRefused(hostOfPattern(pattern));
  return {
    host_match: pattern,
    login_redirect: textOrNull(login_redirect ?? undefined, scope, names),
    login_selector: test?.auth_required_selector ?? null,
    logged_in_selector: orNull(connector.logged_in_selector),
  };
}

function pageOf(
  tool: BrowserTool,
  scope: CallScope,
  { bareNames, ownPorts }: Names,
): { url: string; origin: string; host: HostSource } | null {
  const template = tool.page?.url;
  if (template === undefined) return null;
  const options = { ...REFUSE, bareNames, encodings: encodingsOf(tool) };
  const prefix = urlPrefix(template, scope, options);
  const url = expandUrl(template, scope, options);
  if (isOwnUrl(url, ownPorts)) throw ownPageRefused(prefix.origin);
  return { url, origin: prefix.origin, host: hostSource(prefix, scope) };
}

function orNull(selector = ''): string | null {
  return selector === '' ? null : selector;
}

/** An empty text would be found in every address, so it counts as none. */
function textOrNull(template: string | undefined, scope: CallScope, { bareNames }: Names): string | null {
  if (template === undefined) return null;
  const text = expandText(template, scope, { ...REFUSE, bareNames });
  return text === '' ? null : text;
}

/** Its script, parsed once. */
export function scriptOf(tool: BrowserTool, bareNames: ReadonlySet<string>): ScriptTemplate {
  let found = scripts.get(tool);
  if (found === undefined) {
    found = parseScript(tool.script, bareNames);
    scripts.set(tool, found);
  }
  return found;
}

/** The settings as a script sees them: all but the secrets, in rows of rows too. */
function settingsText(settings: CallScope['settings']): string {
  let text = settingTexts.get(settings);
  if (text === undefined) {
    text = JSON.stringify(withoutSecrets(settings));
    settingTexts.set(settings, text);
  }
  return text;
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !(item instanceof Secret)).map(withoutSecrets);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item instanceof Secret ? [] : [[key, withoutSecrets(item)]])),
  );
}
