import { existsSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../shared/errors.ts';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { Diagnostic } from '../../shared/manifest/diagnostic.ts';
import { compareVersions } from '../../shared/manifest/semver.ts';
import type { FileOps } from '../store/file-ops.ts';
import type { Database } from '../store/sqlite.ts';
import type { Catalog } from './catalog.ts';
import { FolderSwap } from './folder-swap.ts';
import type { Installation, Installations, Source } from './installation.ts';
import { contentHash, MANIFEST, readPackageFolder, type PackageFiles } from './package-files.ts';
import { lintPackage, requirePackage } from './read-package.ts';
import { requestedScripts } from './requested-scripts.ts';

export interface InstallerDeps {
  db: Database;
  folder: string;
  catalog: Catalog;
  installations: Installations;
  settings: { remove(id: string): void };
  forgeVersion: string;
  now?: () => Date;
  ops?: FileOps;
}

export interface InstallOutcome {
  id: string;
  version: string;
  path: string;
  sha256: string;
  previous_version: string | null;
  warnings: Diagnostic[];
}

/** Puts connectors into the data dir and takes them out. */
export class Installer {
  readonly #deps: InstallerDeps;
  readonly #swap: FolderSwap;
  readonly #now: () => Date;

  constructor(deps: InstallerDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => new Date());
    const { db, folder, installations, settings, ops } = deps;
    this.#swap = new FolderSwap(
      db,
      folder,
      (id, pending) => {
        if (pending.kind === 'install') installations.put(id, pending.installation);
        else {
          installations.remove(id);
          if (pending.deleteSettings) settings.remove(id);
        }
      },
      ops,
    );
  }

  /** Installs or replaces. Settings and secrets of an earlier version stay. With `expected`, only files of that hash. */
  install(files: PackageFiles, source: Source, expected?: string): InstallOutcome {
    const { catalog, installations, forgeVersion } = this.#deps;
    const { pack, warnings } = requirePackage(lintPackage(files, forgeVersion));
    checkForgeVersion(pack, forgeVersion);
    checkClash(pack, catalog);
    const before = installations.get(pack.id);
    const previous = catalog.find(pack.id)?.package?.version ?? null;
    const time = this.#now().toISOString();
    const sha256 = contentHash(files);
    if (expected !== undefined && expected !== sha256) {
      throw new ForgeError('conflict', `${pack.id} is not what it was when you looked at it`, {
        hint: 'Look at it again, then install it.',
      });
    }
    this.#swap.install(pack.id, files, {
      version: pack.version,
      source,
      sha256,
      enabled: before?.enabled ?? true,
      installed_at: before?.installed_at ?? time,
      updated_at: time,
    });
    const manifest = path.join(this.#swap.live(pack.id), MANIFEST);
    return { id: pack.id, version: pack.version, path: manifest, sha256, previous_version: previous, warnings };
  }

  /** Replaces only the manifest; README, icon and script files beside it stay. With `expectedId`, it must stay the same connector. */
  installManifest(yaml: Uint8Array, source: Source, expectedId?: string): InstallOutcome {
    return this.install(this.filesWith(yaml, expectedId), source);
  }

  /** The files a connector would consist of with this manifest. */
  filesWith(yaml: Uint8Array, expectedId?: string): PackageFiles {
    // Read leniently: a manifest may be valid only together with the script files beside it.
    const { id } = requestedScripts(Buffer.from(yaml).toString('utf8'));
    if (expectedId !== undefined && id !== null && id !== expectedId) {
      throw new ForgeError('conflict', `the manifest's id is ${id.slice(0, 80)}, not ${expectedId}`, {
        hint: 'An id cannot change. Install it as a new connector instead.',
      });
    }
    const beside = id === null ? null : this.#filesOf(id);
    return new Map([...(beside ?? []), [MANIFEST, yaml]]);
  }

  remove(id: string, deleteSettings: boolean): void {
    this.#deps.catalog.get(id);
    this.#swap.remove(id, deleteSettings);
  }

  setEnabled(id: string, enabled: boolean): void {
    const { catalog, installations } = this.#deps;
    const { installation, package: pack, sha256 } = catalog.get(id);
    const time = this.#now().toISOString();
    const found: Installation = {
      version: pack?.version ?? '',
      source: { kind: 'found' },
      sha256,
      enabled,
      installed_at: time,
      updated_at: time,
    };
    installations.put(id, { ...(installation ?? found), enabled, updated_at: time });
  }

  /** Finishes what a crash interrupted; returns the ids it concerned. */
  recover(): string[] {
    return this.#swap.recover();
  }

  #filesOf(id: string): PackageFiles | null {
    const found = this.#deps.catalog.find(id);
    return found !== null && existsSync(found.folder) ? readPackageFolder(found.folder) : null;
  }
}

function checkForgeVersion(pack: ConnectorPackage, forgeVersion: string): void {
  const wanted = pack.min_forge_version;
  if (wanted !== null && compareVersions(wanted, forgeVersion) > 0) {
    throw new ForgeError(
      'forge_too_old',
      `${pack.id} ${pack.version} needs Forge ${wanted} or newer; this is ${forgeVersion}`,
    );
  }
}

function checkClash(pack: ConnectorPackage, catalog: Catalog): void {
  for (const installed of catalog.list()) {
    if (installed.id === pack.id) continue;
    const clash = installed.package?.connectors.find((theirs) => pack.connectors.some((ours) => ours.id === theirs.id));
    if (clash !== undefined) {
      throw new ForgeError('conflict', `${installed.id} already provides a connector called ${clash.id}`, {
        hint: `Remove ${installed.id} first, or rename the connector.`,
      });
    }
  }
}
