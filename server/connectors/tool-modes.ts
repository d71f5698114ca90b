import { isCertainToRead } from '../../shared/manifest/certain-to-read.ts';
import type { Connector, ConnectorPackage, Tool } from '../../shared/manifest/connector.ts';
import { toolId } from '../../shared/manifest/input-schema.ts';
import { effectiveMode, type ToolMode } from '../../shared/manifest/tool-mode.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import { claimsOf, definitionOf, type Claims } from './tool-claims.ts';

/** What applies to a tool after everything a person has said about it. */
export interface ToolTerms {
  mode: ToolMode;
  /** It is certain that a call changes nothing. */
  onlyReads: boolean;
}

/** A tool with what is around it. */
interface ToolPlace {
  package: ConnectorPackage;
  connector: Connector;
  tool: Tool;
}

/** By tool id. */
export type Modes = Readonly<Record<string, ToolMode>>;

/** What an installation writes down: the modes that were chosen with it, and the claims of its tools that were shown. */
export interface Accepted {
  modes: Modes;
  claims: Claims;
}

interface Kept {
  version: number;
  modes: ReadonlyMap<string, ToolMode>;
  claims: ReadonlyMap<string, string>;
  terms: WeakMap<Tool, ToolTerms>;
}

export type ToolModes = ReturnType<typeof createToolModes>;

/** What people have decided about tools: On, Ask or Never for each, and which claims of manifests they have accepted. */
export function createToolModes(db: Database) {
  const selectModes = db.prepare('SELECT tool_id, mode FROM tool_modes WHERE connector_id = ?');
  const selectClaims = db.prepare('SELECT tool_id, definition FROM accepted_claims WHERE connector_id = ?');
  // One process owns the database, so what was read once stays true until it is changed here.
  const kept = new Map<string, Kept>();
  let version = 0;

  const load = (id: string): Kept => {
    version += 1;
    const modes = selectModes.all(id).map((row) => [String(row['tool_id']), row['mode'] as ToolMode] as const);
    const claims = selectClaims.all(id).map((row) => [String(row['tool_id']), String(row['definition'])] as const);
    const read = { version, modes: new Map(modes), claims: new Map(claims), terms: new WeakMap<Tool, ToolTerms>() };
    kept.set(id, read);
    return read;
  };
  const of = (id: string): Kept => kept.get(id) ?? load(id);

  const putModes = (packageId: string, modes: Modes): void => {
    kept.delete(packageId);
    const put = db.prepare('INSERT OR REPLACE INTO tool_modes (connector_id, tool_id, mode) VALUES (?, ?, ?)');
    for (const [id, mode] of Object.entries(modes)) put.run(packageId, id, mode);
  };
  /** Modes of tools that are gone are kept: the tools may come back. */
  const write = (packageId: string, { modes, claims }: Accepted): void => {
    putModes(packageId, modes);
    db.prepare('DELETE FROM accepted_claims WHERE connector_id = ?').run(packageId);
    const put = db.prepare('INSERT INTO accepted_claims (connector_id, tool_id, definition) VALUES (?, ?, ?)');
    for (const [id, definition] of Object.entries(claims)) put.run(packageId, id, definition);
  };

  return {
    /** Every call asks, so the answer is kept with the tool's own object, which an edit of the manifest replaces. */
    of({ package: pack, connector, tool }: ToolPlace): ToolTerms {
      const { modes, claims, terms } = of(pack.id);
      let known = terms.get(tool);
      if (known === undefined) {
        const isAccepted = (one: Tool): boolean => claims.get(toolId(connector, one)) === definitionOf(connector, one);
        known = {
          mode: effectiveMode(tool, modes.get(toolId(connector, tool))),
          onlyReads: isCertainToRead(tool, connector, isAccepted),
        };
        terms.set(tool, known);
      }
      return known;
    },
    /** The mode that a tool has, or would have once it is installed. */
    modeIn: (packageId: string, id: string, tool: Pick<Tool, 'destructive'>): ToolMode =>
      effectiveMode(tool, of(packageId).modes.get(id)),
    /** Changes whenever a person has decided something else about a tool of this package. */
    versionOf: (packageId: string): number => of(packageId).version,
    /** Whether a tool claims to only read and nobody has accepted that. */
    hasNewClaims(pack: ConnectorPackage): boolean {
      const { claims } = of(pack.id);
      return Object.entries(claimsOf(pack)).some(([id, definition]) => claims.get(id) !== definition);
    },
    /** Adds choices to those that were made before. */
    setModes: (packageId: string, modes: Modes): void => transaction(db, () => putModes(packageId, modes)),
    /** A person has looked at the files on disk. */
    accept: (packageId: string, accepted: Accepted): void => transaction(db, () => write(packageId, accepted)),
    /** The same for files that are installed; only inside a transaction. */
    write,
    /** Another connector under the same id must not inherit what was decided about this one. Only inside a transaction. */
    forget(packageId: string): void {
      kept.delete(packageId);
      db.prepare('DELETE FROM tool_modes WHERE connector_id = ?').run(packageId);
      db.prepare('DELETE FROM accepted_claims WHERE connector_id = ?').run(packageId);
    },
  };
}
