import { Type, type Static } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { decodeText } from '../../shared/manifest/decode-text.ts';
import { ID_PATTERN } from '../../shared/manifest/schema/manifest.ts';
import type { Database } from '../store/sqlite.ts';
import { MANIFEST, type PackageFiles } from './package-files.ts';
import { requestedScripts } from './requested-scripts.ts';

const EntrySchema = Type.Object({
  id: Type.String({ pattern: ID_PATTERN }),
  name: Type.String(),
  icon: Type.Optional(Type.String()),
  version: Type.String(),
  author: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  min_forge_version: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const RegistrySchema = Type.Object({
  version: Type.Literal(1),
  updated_at: Type.Optional(Type.String()),
  connectors: Type.Array(EntrySchema, { maxItems: 5000 }),
});

export type RegistryEntry = Static<typeof EntrySchema>;
type RegistryDocument = Static<typeof RegistrySchema>;

/** Where a registry's files come from: a folder or a web address. Answers null for a file that is not there. */
export interface RegistryFiles {
  location: string;
  read(name: string): Promise<Uint8Array | null>;
}

/** What the registry offers. With a problem, the list is the last one that could be read. */
export interface RegistryView {
  location: string;
  connectors: RegistryEntry[];
  fetched_at: string | null;
  problem: { code: string; message: string; hint: string } | null;
}

const OPTIONAL_FILES = ['README.md', 'icon.svg'];
const FRESH_MS = 60 * 60 * 1000;
/** A registry that is down is asked again after a while, not by every request in between. */
const RETRY_MS = 60 * 1000;

/** Reads a registry hourly and keeps its last good list, so that a registry that is down takes nothing away. */
export class Registry {
  readonly location: string;
  readonly #db: Database;
  readonly #files: RegistryFiles;
  readonly #now: () => Date;
  #view: RegistryView | null = null;
  #readAt = 0;
  #underWay: Promise<RegistryView> | null = null;
  #isClosed = false;

  constructor(db: Database, files: RegistryFiles, now: () => Date = () => new Date()) {
    this.location = files.location;
    this.#db = db;
    this.#files = files;
    this.#now = now;
  }

  /** The current list; read again when it is an hour old, a minute after a problem, or when `fresh` asks for it. */
  async list(fresh = false): Promise<RegistryView> {
    if (!fresh && this.#view !== null && !this.#isOld(this.#view)) return this.#view;
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = null;
    });
    this.#view = await this.#underWay;
    return this.#view;
  }

  /** What was last known, at once; nobody waits for a registry just to see their own connectors. */
  known(): RegistryEntry[] {
    if (this.#view !== null) return this.#view.connectors;
    return this.#lastGood()?.document.connectors ?? [];
  }

  /** All files of one connector, checked to be the one that was asked for. */
  async fetchPackage(id: string): Promise<PackageFiles> {
    const { connectors, problem } = await this.list();
    if (!connectors.some((entry) => entry.id === id)) {
      if (problem !== null) throw new ForgeError('registry_unavailable', problem.message, { hint: problem.hint });
      throw new ForgeError(
        'connector_not_found',
        `the registry has no connector called ${JSON.stringify(id.slice(0, 80))}`,
        {
          hint: 'GET /api/connectors/marketplace lists what it has.',
        },
      );
    }
    const manifest = await this.#files.read(`${id}/${MANIFEST}`);
    if (manifest === null) {
      throw new ForgeError('registry_invalid', `the registry lists ${id} but has no ${id}/${MANIFEST}`);
    }
    const found = new Map<string, Uint8Array>([[MANIFEST, manifest]]);
    const { id: writtenId, scripts } = requestedScripts(decodeText(manifest, `${id}/${MANIFEST}`));
    if (writtenId !== null && writtenId !== id) {
      throw new ForgeError('registry_invalid', `the registry's ${id}/${MANIFEST} is the manifest of ${writtenId}`);
    }
    for (const name of [...OPTIONAL_FILES, ...scripts]) {
      const bytes = await this.#files.read(`${id}/${name}`);
      if (bytes !== null) found.set(name, bytes);
    }
    return found;
  }

  /** The picture of a connector on offer; null when it has none. */
  async fetchIcon(id: string): Promise<Uint8Array | null> {
    return this.known().some((entry) => entry.id === id) ? this.#files.read(`${id}/icon.svg`) : null;
  }

  /** From here on no answer that is still under way touches the database. */
  close(): void {
    this.#isClosed = true;
  }

  #isOld(view: RegistryView): boolean {
    return this.#now().getTime() - this.#readAt > (view.problem === null ? FRESH_MS : RETRY_MS);
  }

  async #read(): Promise<RegistryView> {
    const { location } = this;
    const time = this.#now();
    this.#readAt = time.getTime();
    try {
      const bytes = await this.#files.read('registry.json');
      if (bytes === null) throw new ForgeError('registry_unavailable', `there is no registry.json at ${location}`);
      const text = new TextDecoder().decode(bytes);
      const { connectors } = parseRegistry(text, location);
      const fetched_at = time.toISOString();
      this.#keep(text, fetched_at);
      return { location, connectors, fetched_at, problem: null };
    } catch (error) {
      if (!isForgeError(error) || this.#isClosed) throw error;
      const kept = this.#lastGood();
      const problem = { code: error.code, message: error.message, hint: error.hint };
      return { location, connectors: kept?.document.connectors ?? [], fetched_at: kept?.fetchedAt ?? null, problem };
    }
  }

  #keep(text: string, fetchedAt: string): void {
    if (this.#isClosed) throw new ForgeError('shutting_down', 'Forge is stopping');
    this.#db
      .prepare('INSERT OR REPLACE INTO registry_cache (location, document, fetched_at) VALUES (?, ?, ?)')
      .run(this.location, text, fetchedAt);
  }

  #lastGood(): { document: RegistryDocument; fetchedAt: string } | null {
    const row = this.#db
      .prepare('SELECT document, fetched_at FROM registry_cache WHERE location = ?')
      .get(this.location);
    if (row === undefined) return null;
    return { document: parseRegistry(String(row['document']), this.location), fetchedAt: String(row['fetched_at']) };
  }
}

let validate: ReturnType<Ajv['compile']> | null = null;

function parseRegistry(text: string, location: string): RegistryDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ForgeError('registry_invalid', `registry.json at ${location} is not JSON`, { cause });
  }
  validate ??= new Ajv({ strict: false, meta: false, validateSchema: false }).compile(RegistrySchema);
  if (!validate(value)) {
    const [error] = validate.errors ?? [];
    throw new ForgeError(
      'registry_invalid',
      `registry.json at ${location} is not a registry: ${error?.instancePath ?? ''} ${error?.message ?? ''}`,
    );
  }
  return value as RegistryDocument; // checked in the line above
}
