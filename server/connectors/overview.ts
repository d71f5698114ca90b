import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ConnectorDetail, ConnectorSummary, MarketplaceAnswer, ToolSummary } from '../../shared/api.ts';
import { capabilitiesOf } from '../../shared/manifest/capabilities.ts';
import { definitionOf } from '../../shared/manifest/definition.ts';
import { inputSchema, toolId, toolLlmName } from '../../shared/manifest/input-schema.ts';
import { compareVersions } from '../../shared/manifest/semver.ts';
import { BUNDLED_REGISTRY } from '../config.ts';
import type { Settings } from '../settings/settings.ts';
import { toolsOf, type Installed, type ToolEntry } from './catalog.ts';
import type { Health } from './connector-health.ts';
import { MANIFEST } from './package-files.ts';
import type { RegistryEntry, RegistryView } from './registry.ts';
import type { ToolModes } from './tool-modes.ts';

/** What is known about a connector besides its files and settings. */
export interface Circumstances {
  /** What the registry has under the same id. */
  offered?: RegistryEntry | undefined;
  /** The last call found nobody logged in. */
  isLoggedOut?: boolean;
  /** The files are not what was accepted. */
  isUnread?: boolean;
  /** What tests and calls have shown. */
  health?: Health;
}

/** What people have decided about tools and set up for them. */
interface ToolCircumstances {
  toolModes: Pick<ToolModes, 'of'>;
  settings: Pick<Settings, 'instanceNames'>;
}

const UNTESTED: Health = { status: 'untested', since: null, message: '' };

/** One connector as lists show it. */
export function summarise(
  installed: Installed,
  settings: Settings,
  { offered, isLoggedOut = false, isUnread = false, health = UNTESTED }: Circumstances = {},
): ConnectorSummary {
  const pack = installed.package;
  const { state, reason } = stateOf(installed, settings, isLoggedOut);
  const version = pack?.version ?? installed.installation?.version ?? '';
  const isNewer = offered !== undefined && pack !== null && compareVersions(offered.version, pack.version) > 0;
  return {
    id: installed.id,
    name: pack?.name ?? installed.id,
    icon: pack?.icon ?? '',
    version,
    author: pack?.author ?? '',
    description: pack?.description ?? '',
    category: pack?.category ?? '',
    state,
    reason,
    health,
    enabled: installed.installation?.enabled ?? true,
    tools: toolsOf(installed).length,
    path: path.join(installed.folder, MANIFEST),
    sha256: installed.sha256,
    edited: installed.edited,
    source: installed.installation?.source ?? { kind: 'found' },
    installed_at: installed.installation?.installed_at ?? null,
    updated_at: installed.installation?.updated_at ?? null,
    update: isNewer ? { version: offered.version } : null,
    review: isUnread,
  };
}

function stateOf(
  installed: Installed,
  settings: Settings,
  isLoggedOut: boolean,
): Pick<ConnectorSummary, 'state' | 'reason'> {
  if (installed.package === null) {
    const first = installed.diagnostics.find((diagnostic) => diagnostic.severity === 'error');
    return { state: 'broken', reason: first?.message ?? 'the manifest cannot be read' };
  }
  if (installed.installation?.enabled === false) return { state: 'disabled', reason: 'switched off' };
  const [missing] = settings.view(installed.package).missing;
  if (missing !== undefined) return { state: 'needs_settings', reason: `${missing.label} ${missing.message}` };
  if (isLoggedOut) return { state: 'login_needed', reason: 'nobody was logged in at the last call' };
  return { state: 'ready', reason: '' };
}

/** One connector with everything its page shows. */
export function describe(
  installed: Installed,
  settings: Settings,
  toolModes: Pick<ToolModes, 'of'>,
  around: Circumstances = {},
): ConnectorDetail {
  return {
    ...summarise(installed, settings, around),
    diagnostics: installed.diagnostics,
    tool_list: toolsOf(installed).map((entry) => summariseTool(entry, { toolModes, settings })),
    capabilities: installed.package === null ? null : capabilitiesOf(definitionOf(installed.package)),
    readme: readText(path.join(installed.folder, 'README.md')),
    test: testOf(installed),
  };
}

function testOf({ package: pack }: Installed): ConnectorDetail['test'] {
  const test = pack?.connectors.find((connector) => connector.test !== null)?.test;
  return test === undefined || test === null
    ? null
    : { description: test.description ?? '', probe: test.probe ?? 'http' };
}

/** A tool as callers and models see it. */
export function summariseTool(entry: ToolEntry, { toolModes, settings }: ToolCircumstances): ToolSummary {
  const { package: pack, connector, tool } = entry;
  const terms = toolModes.of(entry);
  return {
    id: toolId(connector, tool),
    name: toolLlmName(connector, tool),
    connector: connector.id,
    package: pack.id,
    description: tool.description,
    protocol: tool.protocol,
    destructive: tool.destructive,
    only_reads: terms.onlyReads,
    mode: terms.mode,
    input_schema: inputSchema(tool, pack.settings, settings.instanceNames(pack)),
  };
}

/** The registry's offers beside what is installed. */
export function marketplace(registry: RegistryView, installed: readonly Installed[]): MarketplaceAnswer {
  const versions = new Map(
    installed.map((entry) => [entry.id, entry.package?.version ?? entry.installation?.version ?? null]),
  );
  return {
    location: registry.location,
    bundled: registry.location === BUNDLED_REGISTRY,
    fetched_at: registry.fetched_at,
    problem: registry.problem,
    connectors: registry.connectors.map((entry) => {
      const have = versions.get(entry.id) ?? null;
      return {
        id: entry.id,
        name: entry.name,
        icon: entry.icon ?? '',
        version: entry.version,
        author: entry.author ?? '',
        description: entry.description ?? '',
        min_forge_version: entry.min_forge_version ?? null,
        installed_version: have,
        update_available: have !== null && compareVersions(entry.version, have) > 0,
      };
    }),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
