import { existsSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../shared/errors.ts';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { Diagnostic } from '../../shared/manifest/diagnostic.ts';
import { compareVersions } from '../../shared/manifest/semver.ts';
import type { FileOps } from '../store/file-ops.ts';
import type { Database } from '../store/sqlite.ts';
import type { AcceptedDefinitions } from './accepted-definitions.ts';
import type { Catalog } from './catalog.ts';
import type { ConnectorHealth } from './connector-health.ts';
import { definedBy } from './definition-hash.ts';
import { FolderSwap } from './folder-swap.ts';
import type { Installation, Installations, Source } from './installation.ts';
import { contentHash, MANIFEST, readPackageFolder, type PackageFiles } from './package-files.ts';
import type { PackageLints } from './package-lints.ts';
import { requirePackage } from './read-package.ts';
import { requestedScripts } from './requested-scripts.ts';
import { claimsOf } from './tool-claims.ts';
import type { Modes, ToolModes } from './tool-modes.ts';
import { requireModes } from './preview-tools.ts';

export interface InstallerDeps {
  db: Database;
  folder: string;
  catalog: Catalog;
  installations: Installations;
  settings: { remove(id: string): void };
  accepted: Pick<AcceptedDefinitions, 'put' | 'forget'>;
  toolModes: Pick<ToolModes, 'write' | 'forget'>;
  health: Pick<ConnectorHealth, 'forget'>;
  forgeVersion: string;
  lints: Pick<PackageLints, 'lint'>;
  now?: () => Date;
  ops?: FileOps;
}

interface InstallOptions {
  /** Only files of this hash. */
  expected?: string | undefined;
  /** What a person has chosen for tools of it. */
  modes?: Modes | undefined;
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
    const { db, folder, installations, settings, accepted, toolModes, health, ops } = deps;
    this.#swap = new FolderSwap(
      db,
      folder,
      (id, pending) => {
        if (pending.kind === 'install') {
          const { installation, definition, accepted: choices } = pending;
          installations.put(id, installation);
          if (definition !== undefined) accepted.put(id, definition, installation.sha256);
          if (choices !== undefined) toolModes.write(id, choices);
        } else {
          installations.remove(id);
          accepted.forget(id);
          toolModes.forget(id);
          health.forget(id);
          if (pending.deleteSettings) settings.remove(id);
        }
      },
      ops,
    );
  }

  /** Installs or replaces. Settings and secrets of an earlier version stay, and so do the modes of its tools. */
  install(files: PackageFiles, source: Source, { expected, modes = {} }: InstallOptions = {}): InstallOutcome {
    const { catalog, installations, forgeVersion, lints } = this.#deps;
    const { pack, warnings } = requirePackage(lints.lint(files));
    checkForgeVersion(pack, forgeVersion);
    checkClash(pack, catalog);
    requireModes(pack, modes);
    const before = installations.get(pack.id);
    const previous = catalog.find(pack.id)?.package?.version ?? null;
    const time = this.#now().toISOString();
    const sha256 = contentHash(files);
    if (expected !== undefined && expected !== sha256) {
      throw new ForgeError('conflict', `${pack.id} changed since you reviewed it`, {
        hint: 'Review it again, then install it.',
      });
    }
    const installation: Installation = {
      version: pack.version,
      source,
      sha256,
      enabled: before?.enabled ?? true,
      installed_at: before?.installed_at ?? time,
      updated_at: time,
    };
    // Whoever installs has decided (ADR 9), and about exactly these files.
    const yes = { definition: definedBy(pack).text, accepted: { modes, claims: claimsOf(pack) } };
    this.#swap.install(pack.id, files, installation, yes);
    const manifest = path.join(this.#swap.live(pack.id), MANIFEST);
    return { id: pack.id, version: pack.version, path: manifest, sha256, previous_version: previous, warnings };
  }

  /** The files of a connector with this manifest: README, icon and scripts beside it stay. With `expectedId`, it must stay the same connector. */
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
