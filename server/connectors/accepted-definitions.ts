import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForgeError } from '../../shared/errors.ts';
import { capabilitiesOf } from '../../shared/manifest/capabilities.ts';
import { diffCapabilities, type CapabilityDiff } from '../../shared/manifest/capability-diff.ts';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { Definition } from '../../shared/manifest/definition.ts';
import type { Database, Row } from '../store/sqlite.ts';
import type { Installed, ToolEntry } from './catalog.ts';
import { definedBy, withHashes, type Defined } from './definition-hash.ts';

export type AcceptedDefinitions = ReturnType<typeof createAcceptedDefinitions>;

/** How a tool differs from what was accepted. */
export interface ToolChange {
  /** What is sent or run may differ, so that a person is asked first; otherwise only texts do. */
  asks: boolean;
}

/** A row of the database: which files were accepted, by which build of Forge, and what they meant to it. */
interface Accepted {
  /** Null for what was installed before definitions were kept. */
  defined: Defined | null;
  filesSha256: string;
  build: string;
}

type Files = Pick<Installed, 'sha256' | 'package'>;

/**
 * What a person has said yes to, by connector: its whole definition as it was then. Files may change later, this does not. `build` names
 * the Forge that reads them.
 */
export function createAcceptedDefinitions(db: Database, build: string) {
  const select = db.prepare('SELECT definition, files_sha256, build FROM accepted_definitions WHERE connector_id = ?');
  const upsert = db.prepare(
    'INSERT OR REPLACE INTO accepted_definitions (connector_id, definition, files_sha256, build) VALUES (?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM accepted_definitions WHERE connector_id = ?');
  // One process owns the database, so what was read once stays true until it is changed here.
  const kept = new Map<string, Accepted | null>();
  const read = (id: string): Accepted | null => {
    let found = kept.get(id);
    if (found === undefined) {
      found = fromRow(select.get(id));
      kept.set(id, found);
    }
    return found;
  };
  const put = (id: string, definition: string, filesSha256: string): void => {
    kept.delete(id);
    upsert.run(id, definition, filesSha256, build);
  };
  /** Files that were accepted stay accepted when another Forge reads more out of them than the one before. */
  const current = ({ sha256, package: pack }: Files): Defined | null => {
    if (pack === null) return null;
    const found = read(pack.id);
    if (found === null || found.build === build || found.filesSha256 !== sha256) return found?.defined ?? null;
    put(pack.id, definedBy(pack).text, sha256);
    return definedBy(pack);
  };
  const before = (installed: Files | null, id: string): Definition | null => {
    const found = installed === null || installed.package === null ? read(id)?.defined : current(installed);
    return found?.definition ?? null;
  };
  const diff = (installed: Files | null, next: ConnectorPackage): CapabilityDiff =>
    diffCapabilities(before(installed, next.id), definedBy(next).definition);
  const isNews = (installed: Files): boolean => {
    const { package: pack } = installed;
    return pack !== null && current(installed)?.sha256 !== definedBy(pack).sha256;
  };
  return {
    /** The definition's text, and the hash of the files it was read from. */
    put,
    accept({ id, package: pack, sha256 }: Installed): void {
      if (pack !== null) put(id, definedBy(pack).text, sha256);
    },
    /** After a question: only what was asked about. */
    acceptAsked({ id, package: pack, sha256 }: Installed, definitionSha256: string): void {
      if (pack === null || definedBy(pack).sha256 !== definitionSha256)
        throw new ForgeError('conflict', `the files of ${id} have changed again since you were asked`, {
          hint: 'Repeat the call to see what they are now.',
        });
      put(id, definedBy(pack).text, sha256);
    },
    forget(id: string): void {
      kept.delete(id);
      remove.run(id);
    },
    /** Whether anything was accepted under this id; the first look at a connector shows everything. */
    has: (id: string): boolean => (read(id)?.defined ?? null) !== null,
    /** What `next` would change in what was accepted under its id. */
    diff,
    /** Does most of the work of `diff`, a part in each turn of the event loop: with a thousand tools each takes tens of milliseconds. */
    prepareDiff: (installed: Files | null, next: ConnectorPackage): Promise<void> =>
      inTurns(
        () => definedBy(next).definition,
        () => before(installed, next.id),
      ),
    /** Whether the files on disk are anything else than what was accepted. */
    isNews,
    /** What they change in it; null when that is nothing. */
    news(installed: Installed): CapabilityDiff | null {
      const { package: pack } = installed;
      return pack !== null && isNews(installed) ? diff(installed, pack) : null;
    },
    /** How a tool differs from the one that was accepted; null when it does not. */
    changeOf({ installed, package: pack, connector, tool }: ToolEntry): ToolChange | null {
      const id = `${connector.id}.${tool.name}`;
      const now = definedBy(pack).tools.get(id);
      const before = current(installed)?.tools.get(id);
      if (now !== undefined && now.definition === before?.definition) return null;
      return { asks: now?.effect !== before?.effect };
    },
    /** Before a connector's own test, which sends its secrets without a call. */
    requireSameTest(installed: Installed): void {
      const { package: pack } = installed;
      if (pack === null || current(installed)?.shared === definedBy(pack).shared) return;
      throw new ForgeError('connector_changed', `the files of ${pack.name} have changed since you accepted them`);
    },
  };
}

/** Makes two definitions and their summaries, each in a turn of its own. */
async function inTurns(...sides: readonly (() => Definition | null)[]): Promise<void> {
  for (const side of sides) {
    await nextTurn();
    const definition = side();
    await nextTurn();
    if (definition !== null) capabilitiesOf(definition);
  }
  await nextTurn();
}

function fromRow(row: Row | undefined): Accepted | null {
  if (row === undefined) return null;
  const text = row['definition'];
  return {
    // Written by `put` above, checked as JSON by the database.
    defined: typeof text === 'string' ? withHashes(JSON.parse(text) as Definition) : null,
    filesSha256: String(row['files_sha256']),
    build: String(row['build']),
  };
}

/** The hash that a yes to a call of this tool is bound to. */
export function toolHash({
  package: pack,
  connector,
  tool,
}: Pick<ToolEntry, 'package' | 'connector' | 'tool'>): string {
  const id = `${connector.id}.${tool.name}`;
  const found = definedBy(pack).tools.get(id);
  if (found === undefined) throw new TypeError(`${id} is not a tool of ${pack.id}`);
  return found.definition;
}
