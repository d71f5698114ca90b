import { readdirSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { Connector, ConnectorPackage, Tool } from '../../shared/manifest/connector.ts';
import type { Diagnostic } from '../../shared/manifest/diagnostic.ts';
import { ID_PATTERN } from '../../shared/manifest/schema/manifest.ts';
import type { Installation, Installations } from './installation.ts';
import { contentHash, MANIFEST, readPackageFolder, type PackageFiles } from './package-files.ts';
import type { PackageLints } from './package-lints.ts';
import type { ParsedManifests } from './parsed-manifests.ts';

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
  lints: Pick<PackageLints, 'lint' | 'prepared'>;
}

interface Kept {
  stamp: string;
  sha256: string;
  package: ConnectorPackage | null;
  diagnostics: Diagnostic[];
}

/** A tool as it was found last, and all that would have to change for it to be another. */
interface Last {
  entry: ToolEntry;
  kept: Kept;
  file: string;
  stats: Stats;
}

/** More than anybody has; ids that were made up are never kept. */
const MAX_LAST = 10_000;

const ID = new RegExp(ID_PATTERN);

/** The connectors in the data dir. Every look checks the files' stamps, so an edit or a dropped-in manifest counts at once. */
export class Catalog {
  readonly #deps: CatalogDeps;
  readonly #kept = new Map<string, Kept>();
  /** Which package a part of a bundle belongs to, as of the last look at all of them. */
  #owners = new Map<string, string>();
  /** Tools that were looked for in this turn of the event loop: calls that came together share one look at the files. */
  readonly #found = new Map<string, ToolEntry>();
  readonly #last = new Map<string, Last>();

  constructor(deps: CatalogDeps) {
    this.#deps = deps;
  }

  list(): Installed[] {
    const ids = readdirSync(this.#deps.folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && ID.test(entry.name))
      .map((entry) => entry.name)
      .sort();
    const all = ids.map((id) => this.find(id)).filter((entry) => entry !== null);
    for (const id of this.#kept.keys()) if (!ids.includes(id)) this.#kept.delete(id);
    const marked = markClashes(all);
    const parts = marked.flatMap(({ id, package: pack }) =>
      (pack?.connectors ?? []).map((part) => [part.id, id] as const),
    );
    this.#owners = new Map(parts);
    return marked;
  }

  /** One connector, or null when there is none of that id. */
  find(id: string): Installed | null {
    this.#found.clear();
    return this.#find(id, (place, manifest) => manifest + scriptsStamp(place));
  }

  #find(id: string, wholeStamp: (place: string, manifest: string) => string): Installed | null {
    const place = path.join(this.#deps.folder, id);
    const manifest = ID.test(id) ? fileStamp(path.join(place, MANIFEST)) : null;
    if (manifest === null) {
      this.#kept.delete(id);
      return null;
    }
    const stamp = wholeStamp(place, manifest);
    let known = this.#kept.get(id);
    if (known?.stamp !== stamp) {
      known = { stamp, ...this.#read(id, place) };
      this.#kept.set(id, known);
    }
    const installation = this.#deps.installations.get(id);
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

  /** One connector; an unknown id is an error. */
  get(id: string): Installed {
    const found = this.find(id);
    if (found !== null) return found;
    throw new ForgeError('connector_not_found', `no connector called ${JSON.stringify(id.slice(0, 80))} is installed`);
  }

  /** A connector that can be used: its manifest is valid. */
  getPackage(id: string): ConnectorPackage {
    return usablePackage(this.get(id));
  }

  /** The tools of all enabled connectors. */
  tools(): ToolEntry[] {
    return this.list()
      .filter((installed) => installed.installation?.enabled !== false)
      .flatMap((installed) => toolsOf(installed));
  }

  /** One tool by its id, looking at its own connector's files only. */
  tool(id: string): ToolEntry | null {
    const known = this.#found.get(id);
    if (known !== undefined) return known;
    const entry = this.#again(id) ?? this.#lookFor(id);
    if (entry !== null) this.#share(id, entry);
    return entry;
  }

  /**
   * To be awaited before `tool`, unless it is null: a large manifest that was edited is linted by a thread, so that the call which finds it holds up nobody else.
   * Rejects when it takes too long to be read.
   */
  reading(id: string): Promise<unknown> | null {
    if (this.#found.has(id)) return null;
    const entry = this.#again(id);
    if (entry !== null) {
      this.#share(id, entry);
      return null;
    }
    const [connectorId = ''] = id.split('.', 1);
    const packageId = this.#owners.get(connectorId) ?? connectorId;
    const place = path.join(this.#deps.folder, packageId);
    const manifest = ID.test(packageId) ? fileStamp(path.join(place, MANIFEST)) : null;
    const known = this.#kept.get(packageId)?.stamp;
    if (manifest === null || known === manifest || known === manifest + scriptsStamp(place)) return null;
    return this.#prepared(place);
  }

  #prepared(place: string): Promise<unknown> | null {
    let files: PackageFiles;
    try {
      files = readPackageFolder(place);
    } catch {
      // Whoever looks next says what is wrong with them.
      return null;
    }
    return this.#deps.parsed.has(contentHash(files)) ? null : this.#deps.lints.prepared(files);
  }

  #share(id: string, entry: ToolEntry): void {
    if (this.#found.size === 0) setImmediate(() => this.#found.clear());
    this.#found.set(id, entry);
  }

  /** The tool that was found last, if neither its manifest nor what is known of its installation has changed. */
  #again(id: string): ToolEntry | null {
    const last = this.#last.get(id);
    if (last === undefined) return null;
    const { entry, kept, file, stats } = last;
    const { id: packageId, installation } = entry.installed;
    const isSame =
      this.#kept.get(packageId) === kept &&
      this.#deps.installations.get(packageId) === installation &&
      isSameFile(statSync(file, { throwIfNoEntry: false }), stats);
    if (isSame) return entry;
    this.#last.delete(id);
    return null;
  }

  #lookFor(id: string): ToolEntry | null {
    const [connectorId = '', name = '', ...more] = id.split('.');
    if (more.length > 0) return null;
    const owner = this.#owners.get(connectorId);
    const found = this.#toolIn(owner ?? connectorId, connectorId, name);
    if (found !== null) return found;
    // A bundle may have brought the connector since the last look.
    this.list();
    const newOwner = this.#owners.get(connectorId);
    return newOwner === undefined || newOwner === owner ? null : this.#toolIn(newOwner, connectorId, name);
  }

  #toolIn(packageId: string, connectorId: string, name: string): ToolEntry | null {
    const known = this.#kept.get(packageId);
    // A sound connector without scripts of its own stays what it is when a folder for them appears; a call need not look for it.
    const installed = this.#find(packageId, (place, manifest) =>
      known?.package && known.stamp === manifest ? manifest : manifest + scriptsStamp(place),
    );
    if (installed === null) return null;
    const pack = usablePackage(installed);
    const connector = pack.connectors.find((candidate) => candidate.id === connectorId);
    const tool = connector !== undefined && Object.hasOwn(connector.tools, name) ? connector.tools[name] : undefined;
    if (connector === undefined || tool === undefined) return null;
    const entry = { installed, package: pack, connector, tool };
    this.#remember(`${connectorId}.${name}`, entry);
    return entry;
  }

  /** Only where the manifest is the one file to look at. */
  #remember(id: string, entry: ToolEntry): void {
    const file = path.join(entry.installed.folder, MANIFEST);
    const kept = this.#kept.get(entry.installed.id);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined || kept?.stamp !== stampOf(stats)) return;
    if (this.#last.size >= MAX_LAST) this.#last.clear();
    this.#last.set(id, { entry, kept, file, stats });
  }

  #read(id: string, place: string): Omit<Kept, 'stamp'> {
    try {
      const files = readPackageFolder(place);
      const sha256 = contentHash(files);
      const report = this.#deps.parsed.read(sha256, () => this.#deps.lints.lint(files));
      const { package: pack, diagnostics } = report;
      if (pack === null || pack.id === id) return { sha256, package: pack, diagnostics };
      const message = `the folder is called ${id}, but the manifest's id is ${pack.id}`;
      return { sha256, package: null, diagnostics: [problem(message, 'Rename one of the two.'), ...diagnostics] };
    } catch (error) {
      // Broken files of one connector must not take the others with them.
      const message = error instanceof Error ? error.message : String(error);
      const hint = isForgeError(error) ? error.hint : 'Check the folder.';
      return { sha256: '', package: null, diagnostics: [problem(message, hint)] };
    }
  }
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

/** Changes whenever a script of the connector does; empty when it has no folder for them. */
function scriptsStamp(place: string): string {
  const tools = path.join(place, 'tools');
  const own = fileStamp(tools);
  if (own === null) return '';
  return ['', own, ...readdirSync(tools).map((name) => fileStamp(path.join(tools, name)) ?? '')].join(' ');
}

/** Changes whenever a file does; null when there is none. The change time cannot be set back by an editor. */
function fileStamp(file: string): string | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? null : stampOf(stats);
}

function stampOf({ ino, size, ctimeMs }: Stats): string {
  return `${ino}:${size}:${ctimeMs}`;
}

function isSameFile(stats: Stats | undefined, { ino, size, ctimeMs }: Stats): boolean {
  return stats?.ino === ino && stats.size === size && stats.ctimeMs === ctimeMs;
}
