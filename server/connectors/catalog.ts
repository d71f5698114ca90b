import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { Connector, ConnectorPackage, Tool } from '../../shared/manifest/connector.ts';
import type { Diagnostic } from '../../shared/manifest/diagnostic.ts';
import { ID_PATTERN } from '../../shared/manifest/schema/manifest.ts';
import type { Installation, Installations } from './installation.ts';
import { contentHash, MANIFEST, readPackageFolder } from './package-files.ts';
import type { ParsedManifests } from './parsed-manifests.ts';
import { lintPackage } from './read-package.ts';

/** A connector on disk as it is now, whoever wrote it. `package` is null when its manifest is broken. */
export interface Installed {
  id: string;
  folder: string;
  sha256: string;
  package: ConnectorPackage | null;
  diagnostics: Diagnostic[];
  installation: Installation | null;
  /** The files are no longer what was installed. */
  edited: boolean;
}

/** A tool with the connector and package around it. */
export interface ToolEntry {
  installed: Installed;
  package: ConnectorPackage;
  connector: Connector;
  tool: Tool;
}

export interface CatalogDeps {
  folder: string;
  installations: Installations;
  parsed: ParsedManifests;
  forgeVersion: string;
}

interface Kept {
  stamp: string;
  sha256: string;
  package: ConnectorPackage | null;
  diagnostics: Diagnostic[];
}

const ID = new RegExp(ID_PATTERN);

export type Catalog = ReturnType<typeof createCatalog>;

/** The connectors in the data dir. Every look checks the files' stamps, so an edit or a dropped-in manifest counts at once. */
export function createCatalog({ folder, installations, parsed, forgeVersion }: CatalogDeps) {
  const kept = new Map<string, Kept>();

  function load(id: string): Installed | null {
    const place = path.join(folder, id);
    const stamp = ID.test(id) ? folderStamp(place) : null;
    if (stamp === null) {
      kept.delete(id);
      return null;
    }
    let known = kept.get(id);
    if (known?.stamp !== stamp) {
      known = { stamp, ...parse(id, place) };
      kept.set(id, known);
    }
    const installation = installations.get(id);
    return {
      id,
      folder: place,
      sha256: known.sha256,
      package: known.package,
      diagnostics: known.diagnostics,
      installation,
      edited: installation !== null && installation.sha256 !== known.sha256,
    };
  }

  function parse(id: string, place: string): Omit<Kept, 'stamp'> {
    try {
      const files = readPackageFolder(place);
      const sha256 = contentHash(files);
      const report = parsed.read(sha256, () => lintPackage(files, forgeVersion));
      if (report.package === null || report.package.id === id)
        return { sha256, package: report.package, diagnostics: report.diagnostics };
      const message = `the folder is called ${id}, but the manifest's id is ${report.package.id}`;
      return {
        sha256,
        package: null,
        diagnostics: [problem(message, 'Rename one of the two.'), ...report.diagnostics],
      };
    } catch (error) {
      // Broken files of one connector must not take the others with them.
      const message = error instanceof Error ? error.message : String(error);
      return {
        sha256: '',
        package: null,
        diagnostics: [problem(message, isForgeError(error) ? error.hint : 'Check the folder.')],
      };
    }
  }

  function list(): Installed[] {
    const ids = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && ID.test(entry.name))
      .map((entry) => entry.name)
      .sort();
    const all = ids.map(load).filter((entry) => entry !== null);
    for (const id of kept.keys()) if (!ids.includes(id)) kept.delete(id);
    return markClashes(all);
  }

  /** One connector; an unknown id is an error that lists nothing but says where to look. */
  function get(id: string): Installed {
    const found = load(id);
    if (found === null)
      throw new ForgeError(
        'connector_not_found',
        `no connector called ${JSON.stringify(id.slice(0, 80))} is installed`,
      );
    return found;
  }

  /** A connector that can be used: its manifest is valid. */
  function getPackage(id: string): ConnectorPackage {
    return usablePackage(get(id));
  }

  function tools(): ToolEntry[] {
    return list()
      .filter((installed) => installed.installation?.enabled !== false)
      .flatMap((installed) => toolsOf(installed));
  }

  return { list, get, getPackage, find: load, tools };
}

/** The package of an installed connector, or the error that says why it cannot be used. */
function usablePackage(installed: Installed): ConnectorPackage {
  if (installed.package !== null) return installed.package;
  const first = installed.diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  throw new ForgeError(
    'connector_broken',
    `the manifest of ${installed.id} is broken: ${first?.message ?? 'it cannot be read'}`,
    {
      details: installed.diagnostics,
    },
  );
}

export function toolsOf(installed: Installed): ToolEntry[] {
  const pack = installed.package;
  if (pack === null) return [];
  return pack.connectors.flatMap((connector) =>
    Object.values(connector.tools).map((tool) => ({ installed, package: pack, connector, tool })),
  );
}

/** Two packages may not offer connectors of one name; the one that is called so itself, else the first, keeps it. */
function markClashes(all: Installed[]): Installed[] {
  const owner = new Map<string, string>();
  for (const { id, package: pack } of [...all].sort((a, b) => Number(ownsItself(b)) - Number(ownsItself(a)))) {
    for (const connector of pack?.connectors ?? []) if (!owner.has(connector.id)) owner.set(connector.id, id);
  }
  return all.map((installed) => {
    const clash = installed.package?.connectors.find((connector) => owner.get(connector.id) !== installed.id);
    if (clash === undefined) return installed;
    const message = `the connector ${clash.id} is already provided by ${owner.get(clash.id) ?? 'another one'}`;
    return {
      ...installed,
      package: null,
      diagnostics: [problem(message, 'Remove one of the two.'), ...installed.diagnostics],
    };
  });
}

function ownsItself({ id, package: pack }: Installed): boolean {
  return pack?.connectors.some((connector) => connector.id === id) ?? false;
}

function problem(message: string, hint: string): Diagnostic {
  return { severity: 'error', rule: 'file', message, hint, path: '', line: 1, column: 1, endColumn: 2 };
}

/** Changes whenever a file of the connector does; null when there is no manifest. The change time cannot be set back by an editor. */
function folderStamp(place: string): string | null {
  const manifest = fileStamp(path.join(place, MANIFEST));
  if (manifest === null) return null;
  const tools = path.join(place, 'tools');
  const toolsStamp = fileStamp(tools);
  if (toolsStamp === null) return manifest;
  const scripts = readdirSync(tools).map((name) => fileStamp(path.join(tools, name)) ?? '');
  return [manifest, toolsStamp, ...scripts].join(' ');
}

function fileStamp(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.ino}:${stats.size}:${stats.ctimeNs}`;
}
