import { capabilitiesOf } from '../../../shared/manifest/capabilities.ts';
import type { ConnectorPackage } from '../../../shared/manifest/connector.ts';
import { TOOL_MODES, type ToolMode } from '../../../shared/manifest/tool-mode.ts';
import type { Modes } from '../../connectors/tool-modes.ts';
import type { PackageFiles } from '../../connectors/package-files.ts';
import { contentHash } from '../../connectors/package-files.ts';
import { requirePackage } from '../../connectors/read-package.ts';
import type { Services } from '../services.ts';
import type { Described, DescribedLine } from './confirmations.ts';

/** A connector on its way in: who it is, what it replaces, and what it could reach and run afterwards. */
export async function describeInstall(
  { catalog, lints }: Pick<Services, 'catalog' | 'lints'>,
  files: PackageFiles,
  source: string,
  modes: Modes = {},
): Promise<Described> {
  const { pack } = requirePackage(lints.lint(await lints.prepared(files)));
  const before = catalog.find(pack.id);
  const installed = before?.package?.version;
  const verb = before === null ? 'Install' : 'Replace';
  const title =
    before === null
      ? `Install ${pack.name} ${pack.version}`
      : `Replace ${before.package?.name ?? pack.id} ${installed ?? ''} with ${pack.name} ${pack.version}`;
  const lines = [
    { label: 'Connector', text: pack.id },
    ...(pack.author === '' ? [] : [{ label: 'Author', text: pack.author }]),
    { label: 'From', text: source },
    ...describeModes(modes),
    ...describeReach(pack),
    { label: 'Files', text: `sha256 ${contentHash(files)}` },
  ];
  return { title, verb, lines };
}

const MODE_LABELS: Readonly<Record<ToolMode, string>> = {
  on: 'Will run without asking',
  ask: 'Will ask first',
  never: 'Will never run',
};

/** How tools are set on the way: whoever confirms reads all that a request changes. */
export function describeModes(modes: Modes): DescribedLine[] {
  return TOOL_MODES.flatMap((mode) => {
    const ids = Object.keys(modes).filter((id) => modes[id] === mode);
    return ids.length === 0 ? [] : [{ label: MODE_LABELS[mode], text: ids.join('\n') }];
  });
}

/** What a connector can reach and run. */
export function describeReach(pack: ConnectorPackage): DescribedLine[] {
  const { hosts, sites, commands, secrets, destructive, risks, scripts } = capabilitiesOf(pack);
  const listed = (label: string, entries: readonly string[]): DescribedLine[] =>
    entries.length === 0 ? [] : [{ label, text: entries.join('\n') }];
  return [
    ...listed('Risks', risks),
    ...listed('Runs', commands),
    ...listed('Talks to', hosts),
    ...listed('Websites', sites),
    ...listed('Secrets', secrets),
    ...listed('Scripts', Object.keys(scripts)),
    ...listed('Asks before', destructive),
  ];
}
