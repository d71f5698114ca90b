import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { secretPaths } from '../../shared/manifest/capabilities.ts';
import { instanceFields, type ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import type { Secret } from '../../shared/secret.ts';
import { databaseFile, storeCorrupt } from '../store/sqlite-errors.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { SettingsDocument } from './document.ts';
import { addressSettings } from './address-settings.ts';
import { headerSettings } from './header-settings.ts';
import { instanceNames } from './instance-names.ts';
import { placeText, type LeafPlace } from './place.ts';
import { leftoverFields, maskDocument, missingFields } from './read.ts';
import { savedNames } from './saved-names.ts';
import { resolveSettings, type ResolvedSettings, type SettingsSource } from './resolve.ts';
import { applyValues, type SaveInput, type SettingIssue } from './save.ts';
import { hasPlainSecret, mapSealed, sealPlain } from './sealed-fields.ts';

/** The part of the secrets module that settings need. */
export interface SecretBox {
  readonly state: 'ready' | 'empty' | 'unreadable';
  prepare(): Promise<void>;
  seal(text: string, place: string): string;
  open(sealed: string, place: string): Secret;
}

export interface SettingsView {
  schema: Record<string, SettingField>;
  values: Record<string, unknown>;
  revision: number;
  updated_at: string | null;
  /** Required fields that are still empty. */
  missing: SettingIssue[];
  /** What was just saved and is still worth a word, such as a secret that is easy to guess. */
  warnings: SettingIssue[];
  /** Saved fields the manifest no longer declares; they stay until removed by name. */
  leftover: string[];
}

/** Told of every secret before it can get into an answer or a log line, and of the connector that uses it. */
export type LearnSecret = (connectorId: string, secret: string) => void;

/** Settings before and after a save that has not been made. */
export interface SettingsPlan {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

type Seal = SaveInput['seal'];

type Packaged = Pick<ConnectorPackage, 'id' | 'settings'>;

interface SavedNames {
  version: number;
  byInstance: Map<string | undefined, ReadonlySet<string>>;
}

interface KeptNames {
  version: number;
  names: readonly string[];
}

interface Saved {
  document: SettingsDocument;
  revision: number;
  updatedAt: string | null;
}

/** Saved settings of all connectors: one row each, secrets sealed leaf by leaf. */
export class Settings {
  readonly #db: Database;
  readonly #secrets: SecretBox;
  readonly #now: () => Date;
  readonly #learn: LearnSecret;
  readonly #resolved = new WeakMap<Packaged, { version: number; values: ResolvedSettings }>();
  readonly #saved = new WeakMap<Packaged, SavedNames>();
  readonly #instances = new WeakMap<Packaged, KeptNames>();
  /** Counts changes; one process owns the database, so nothing changes without it. */
  #version = 0;

  constructor(db: Database, secrets: SecretBox, options: { now?: () => Date; learn?: LearnSecret } = {}) {
    this.#db = db;
    this.#secrets = secrets;
    this.#now = options.now ?? (() => new Date());
    this.#learn = options.learn ?? (() => undefined);
  }

  view(pack: Packaged): SettingsView {
    const { document, revision, updatedAt } = this.#readSealed(pack);
    return {
      schema: pack.settings,
      values: maskDocument(pack.settings, document),
      revision,
      updated_at: updatedAt,
      missing: missingFields(pack.settings, document),
      warnings: [],
      leftover: leftoverFields(pack.settings, document),
    };
  }

  /** Saves all of `values` or nothing. With `expected`, only on top of that revision. */
  async save(pack: ConnectorPackage, values: Record<string, unknown>, expected?: number): Promise<SettingsView> {
    if (this.#secrets.state !== 'ready' && secretPaths(pack.settings).length > 0) await this.#prepareSecrets();
    return transaction(this.#db, () => {
      const seal: Seal = (text, place) => this.#seal(pack.id, text, place);
      const { document, revision, warnings } = this.#apply(pack, values, expected, seal);
      this.#write(pack.id, document, revision + 1);
      return { ...this.view(pack), warnings };
    });
  }

  /** What saving these values would change, with secrets as marks. Fails where saving would, and writes nothing. */
  planned(pack: ConnectorPackage, values: Record<string, unknown>, expected?: number): SettingsPlan {
    const { stored, document } = this.#apply(pack, values, expected, () => 'not sealed yet');
    return { before: maskDocument(pack.settings, stored), after: maskDocument(pack.settings, document) };
  }

  #apply(pack: ConnectorPackage, values: Record<string, unknown>, expected: number | undefined, seal: Seal) {
    const { document: stored, revision } = this.#readSealed(pack);
    if (expected !== undefined && expected !== revision) {
      throw new ForgeError('stale_revision', `the settings of ${pack.id} are at revision ${revision}, not ${expected}`);
    }
    const { document, issues, warnings } = applyValues({
      ...{ fields: pack.settings, stored, values, headerSettings: headerSettings(pack), seal },
      addressSettings: addressSettings(pack),
      now: this.#now,
    });
    if (issues.length > 0) throw invalidSettings(issues);
    return { stored, document, revision, warnings };
  }

  /** Values ready for templates. `other` finds the connector a value refers to. Kept until something is saved. */
  resolve(pack: Packaged, other: (id: string) => Packaged | null): ResolvedSettings {
    const kept = this.#resolved.get(pack);
    if (kept?.version === this.#version) return kept.values;
    const others: string[] = [];
    const values = this.#resolveAfresh(pack, (id) => {
      others.push(id);
      return other(id);
    });
    // Another connector's manifest may change without a save, so values that depend on one are not kept.
    if (others.length === 0) this.#resolved.set(pack, { version: this.#version, values });
    return values;
  }

  /** Names of settings that hold what a person has saved, seen through one row of instances: the first one if none is named. */
  saved(pack: Packaged, instance?: string): ReadonlySet<string> {
    let kept = this.#saved.get(pack);
    if (kept?.version !== this.#version) {
      kept = { version: this.#version, byInstance: new Map() };
      this.#saved.set(pack, kept);
    }
    let names = kept.byInstance.get(instance);
    if (names === undefined) {
      names = savedNames(pack.settings, this.#readSealed(pack).document, instance);
      kept.byInstance.set(instance, names);
    }
    return names;
  }

  /** The names of its instances, for the schemas of its tools; the same array until they change. */
  instanceNames(pack: Packaged): readonly string[] {
    const kept = this.#instances.get(pack);
    if (kept?.version === this.#version) return kept.names;
    const isMulti = instanceFields(pack.settings) !== null;
    const read = isMulti ? instanceNames(pack.settings, this.#read(pack.id).document) : [];
    const isSame = read.length === kept?.names.length && read.every((name, index) => name === kept.names[index]);
    const names = isSame ? kept.names : read;
    this.#instances.set(pack, { version: this.#version, names });
    return names;
  }

  #resolveAfresh(pack: Packaged, other: (id: string) => Packaged | null): ResolvedSettings {
    const source = (target: Packaged): SettingsSource => ({
      connectorId: target.id,
      fields: target.settings,
      document: this.#readSealed(target).document,
    });
    return resolveSettings(source(pack), {
      open: (id, sealed, place) => {
        const secret = this.#secrets.open(sealed, placeText(id, place));
        // A value that refers to another connector's secret is a secret of the one that uses it, too.
        this.#learn(pack.id, secret.reveal());
        return secret;
      },
      other: (id) => {
        const target = other(id);
        return target === null ? null : source(target);
      },
    });
  }

  /** Called when a manifest comes in or is read afresh: seals what it has turned into secrets, making the first key if need be. */
  async adopt(pack: Packaged): Promise<void> {
    const isPlain = hasPlainSecret(pack.settings, this.#read(pack.id).document);
    if (isPlain && this.#secrets.state !== 'ready') await this.#prepareSecrets();
    this.#readSealed(pack);
  }

  remove(id: string): void {
    this.#version += 1;
    this.#db.prepare('DELETE FROM settings WHERE connector_id = ?').run(id);
  }

  /** Hands every sealed value to `reseal` and stores what comes back; the caller holds the transaction. */
  resealAll(reseal: (sealed: string, place: string) => string): void {
    this.#version += 1;
    const update = this.#db.prepare('UPDATE settings SET document = ? WHERE connector_id = ?');
    for (const row of this.#db.prepare('SELECT connector_id, document FROM settings').all()) {
      const id = String(row['connector_id']);
      const document = mapSealed(this.#parse(String(row['document'])), (sealed, place) =>
        reseal(sealed, placeText(id, place)),
      );
      update.run(JSON.stringify(document), id);
    }
  }

  /** An update may turn a plain field into a secret; its value must not stay readable in the database from then on. */
  #readSealed(pack: Packaged): Saved {
    const saved = this.#read(pack.id);
    if (!hasPlainSecret(pack.settings, saved.document)) return saved;
    try {
      const document = sealPlain(pack.settings, saved.document, (text, place) => ({
        $sealed: this.#seal(pack.id, text, place),
        saved_at: this.#now().toISOString(),
      }));
      this.#write(pack.id, document, saved.revision + 1);
      return this.#read(pack.id);
    } catch (error) {
      // Without the key the value waits where it is; readers treat it as not set.
      if (isForgeError(error, 'secrets_unreadable')) return saved;
      throw error;
    }
  }

  #seal(id: string, text: string, place: LeafPlace): string {
    this.#learn(id, text);
    return this.#secrets.seal(text, placeText(id, place));
  }

  /** Makes the first key, or finds a keychain unlocked by now. Settings without new secrets can be saved even if that fails. */
  async #prepareSecrets(): Promise<void> {
    try {
      await this.#secrets.prepare();
    } catch (error) {
      if (!isForgeError(error, 'secrets_unreadable')) throw error;
    }
  }

  #read(id: string): Saved {
    const row = this.#db.prepare('SELECT document, revision, updated_at FROM settings WHERE connector_id = ?').get(id);
    if (row === undefined) return { document: {}, revision: 0, updatedAt: null };
    return {
      document: this.#parse(String(row['document'])),
      revision: Number(row['revision']),
      updatedAt: String(row['updated_at']),
    };
  }

  #write(id: string, document: SettingsDocument, revision: number): void {
    this.#version += 1;
    this.#db
      .prepare('INSERT OR REPLACE INTO settings (connector_id, document, revision, updated_at) VALUES (?, ?, ?, ?)')
      .run(id, JSON.stringify(document), revision, this.#now().toISOString());
  }

  #parse(text: string): SettingsDocument {
    try {
      // Written by this class; the database checks that it is JSON.
      return JSON.parse(text) as SettingsDocument;
    } catch (cause) {
      throw storeCorrupt(databaseFile(this.#db), 'a settings document is not JSON', cause);
    }
  }
}

function invalidSettings(issues: SettingIssue[]): ForgeError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const place = `${first?.label ?? 'a setting'} (${first?.path ?? ''})`;
  return new ForgeError('invalid_settings', `${place} ${first?.message ?? ''}${more}`, { details: issues });
}
