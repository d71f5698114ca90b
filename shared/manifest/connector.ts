import { inspectShellTool } from './commands/inspect-shell-tool.ts';
import type { Auth } from './schema/auth.ts';
import type { Manifest, ManifestPart, TestBlock } from './schema/manifest.ts';
import type { SettingField } from './schema/settings.ts';
import type {
  BrowserToolSpec,
  HttpToolSpec,
  ManifestTool,
  Parameter,
  ShellToolSpec,
  SshToolSpec,
} from './schema/tool.ts';
import { isWholeArgument } from './ssh-command.ts';

type Runner = 'main' | 'isolated';
type TabStrategy = 'reuse' | 'ephemeral' | 'persistent';
type ParameterType = NonNullable<Parameter['type']>;

interface ToolBase {
  name: string;
  description: string;
  parameters: Record<string, Parameter & { type: ParameterType }>;
  destructive: boolean;
  timeout_ms: number;
}

type Filled<S> = Omit<S, keyof ToolBase | 'protocol'> & ToolBase;
export type BrowserTool = Filled<BrowserToolSpec> & {
  protocol: 'browser';
  script: string;
  runner: Runner;
  tab_strategy: TabStrategy;
};
export type HttpTool = Filled<HttpToolSpec> & { protocol: 'http'; auth: Auth };
export type ShellTool = Filled<ShellToolSpec> & { protocol: 'shell'; ok_exit_codes: number[] };
export type SshTool = Filled<SshToolSpec> & { protocol: 'ssh' };

/** A tool with its defaults filled in; what runs, as opposed to what was written. */
export type Tool = BrowserTool | HttpTool | ShellTool | SshTool;

/** A validated connector. Keys keep the manifest's spelling, so that one word names one thing everywhere. */
export interface Connector {
  id: string;
  name: string;
  icon: string;
  description: string;
  catalog_summary: string;
  runner: Runner;
  host_match: string | null;
  login_redirect: string | null;
  /** Left out where a manifest has none, so that the definitions people have accepted stay the same. */
  logged_in_selector?: string;
  verify_tls: boolean;
  test: TestBlock | null;
  auth: Auth;
  tools: Record<string, Tool>;
}

/** One manifest: a single connector, or a bundle whose parts share one settings record. */
export interface ConnectorPackage {
  id: string;
  name: string;
  icon: string;
  version: string;
  author: string;
  description: string;
  category: string;
  min_forge_version: string | null;
  settings: Record<string, SettingField>;
  connectors: Connector[];
}

/** Milliseconds a call may take when its tool does not say. */
const DEFAULT_TIMEOUT_MS: Record<Tool['protocol'], number> = {
  http: 15_000,
  shell: 30_000,
  browser: 60_000,
  ssh: 60_000,
};

/** Fills in defaults and hands a bundle's shared keys down to its parts. `scripts` holds the files under tools/. */
export function toPackage(manifest: Manifest, scripts: ReadonlyMap<string, string>): ConnectorPackage {
  const parts: ManifestPart[] = manifest.connectors ?? [{ ...identityOf(manifest), tools: manifest.tools ?? {} }];
  return {
    id: manifest.id,
    name: manifest.name,
    icon: manifest.icon ?? '',
    version: manifest.version,
    author: manifest.author ?? '',
    description: (manifest.description ?? '').trim(),
    category: manifest.category ?? '',
    min_forge_version: manifest.min_forge_version ?? null,
    settings: manifest.settings ?? {},
    connectors: parts.map((part) => toConnector(manifest, part, scripts)),
  };
}

function identityOf(manifest: Manifest): Pick<ManifestPart, 'id' | 'name'> & Partial<ManifestPart> {
  return { id: manifest.id, name: manifest.name };
}

function toConnector(manifest: Manifest, part: ManifestPart, scripts: ReadonlyMap<string, string>): Connector {
  const auth = part.auth ?? manifest.auth ?? { type: 'none' as const };
  const runner = part.runner ?? manifest.runner ?? 'main';
  const loggedIn = part.logged_in_selector ?? manifest.logged_in_selector;
  const tabStrategy = part.tab_strategy ?? manifest.tab_strategy ?? 'reuse';
  return {
    id: part.id,
    name: part.name,
    icon: part.icon ?? manifest.icon ?? '',
    description: (part.description ?? manifest.description ?? '').trim(),
    catalog_summary: (part.catalog_summary ?? manifest.catalog_summary ?? '').trim(),
    runner,
    host_match: part.host_match ?? manifest.host_match ?? null,
    login_redirect: part.login_redirect ?? manifest.login_redirect ?? null,
    ...(loggedIn === undefined ? {} : { logged_in_selector: loggedIn }),
    verify_tls: (part.http ?? manifest.http)?.verify_tls ?? true,
    test: part.test ?? manifest.test ?? null,
    auth,
    tools: Object.fromEntries(
      Object.entries(part.tools).map(([name, tool]) => [
        name,
        toTool(name, tool, { auth, runner, tabStrategy, scripts }),
      ]),
    ),
  };
}

interface Inherited {
  auth: Auth;
  runner: Runner;
  tabStrategy: TabStrategy;
  scripts: ReadonlyMap<string, string>;
}

function toTool(name: string, tool: ManifestTool, inherited: Inherited): Tool {
  const base = (protocol: Tool['protocol']) => ({
    name,
    description: (tool.description ?? '').trim(),
    parameters: Object.fromEntries(
      Object.entries(tool.parameters ?? {}).map(([key, parameter]) => [
        key,
        { ...parameter, type: parameter.type ?? 'string' },
      ]),
    ),
    destructive: tool.destructive ?? false,
    timeout_ms: tool.timeout_ms ?? DEFAULT_TIMEOUT_MS[protocol],
  });
  switch (tool.protocol) {
    case 'http':
      return { ...tool, ...base('http'), protocol: 'http', auth: tool.auth ?? inherited.auth };
    case 'shell':
      return {
        ...tool,
        ...base('shell'),
        protocol: 'shell',
        destructive: runsWholeCode(tool),
        ok_exit_codes: tool.ok_exit_codes ?? [0],
      };
    case 'ssh':
      return { ...tool, ...base('ssh'), protocol: 'ssh', destructive: asksFirst(tool) };
    default:
      return {
        ...tool,
        ...base('browser'),
        protocol: 'browser',
        script: tool.script ?? inherited.scripts.get(scriptFile(name, tool)) ?? '',
        runner: tool.runner ?? inherited.runner,
        tab_strategy: tool.tab_strategy ?? inherited.tabStrategy,
      };
  }
}

/** Whoever chooses a whole command can change anything, so a person sees each one first. */
function asksFirst({ destructive = false, ssh }: SshToolSpec): boolean {
  return destructive || (ssh?.commands ?? []).some(isWholeArgument);
}

/** The same for whoever writes a whole program text for an interpreter. */
function runsWholeCode(tool: ShellToolSpec): boolean {
  return tool.destructive === true || inspectShellTool(tool, NO_NAMES).wholeCode.length > 0;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Where a browser tool's script lives when it is not written inline. */
export function scriptFile(name: string, tool: BrowserToolSpec): string {
  return tool.script_file ?? `tools/${name}.js`;
}

/** `type: secret`, or `secret: true` beside a string. */
export function isSecretField(field: SettingField): boolean {
  return field.type === 'secret' || ('secret' in field && field.secret);
}

/** Only a field of exactly this name makes a connector multi-instance. */
export const INSTANCES_FIELD = 'instances';

/** The columns that a chosen instance lays over the settings, or null for a connector with one instance. */
export function instanceFields(settings: Record<string, SettingField>): Record<string, SettingField> | null {
  const field = Object.hasOwn(settings, INSTANCES_FIELD) ? settings[INSTANCES_FIELD] : undefined;
  return field?.type === 'instances' ? field.fields : null;
}

/** Every setting a template may name: the top level and, for multi-instance connectors, a row's columns. */
export function templateSettings(settings: Record<string, SettingField>): Record<string, SettingField> {
  return { ...settings, ...(instanceFields(settings) ?? {}) };
}
