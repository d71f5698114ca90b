import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { moveDurably, removeFolder, writeFolderDurably } from '../store/durable-files.ts';
import { nodeFileOps, type FileOps } from '../store/file-ops.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { Installation } from './installation.ts';
import type { PackageFiles } from './package-files.ts';
import type { Accepted } from './tool-modes.ts';

/** What a change is about to do, written down before it is done, so that a crash in between can be finished at the next start. */
export type Pending =
  | {
      kind: 'install';
      installation: Installation;
      /** What the person who installs it has accepted; left out by an older Forge. */
      definition?: string;
      accepted?: Accepted;
    }
  | { kind: 'remove'; deleteSettings: boolean };

/** Makes the database say what the files say; runs in the transaction that forgets the intent. */
type Commit = (id: string, pending: Pending) => void;

/**
 * Replaces and removes connector folders so that a crash or a failing disk leaves the old state or the new one. New files are
 * staged beside the old ones, the intent is committed, and two renames make the change; `recover` repeats them after a crash.
 */
export class FolderSwap {
  readonly #db: Database;
  readonly #folder: string;
  readonly #commit: Commit;
  readonly #ops: FileOps;

  constructor(db: Database, folder: string, commit: Commit, ops: FileOps = nodeFileOps) {
    this.#db = db;
    this.#folder = folder;
    this.#commit = commit;
    this.#ops = ops;
  }

  live(id: string): string {
    return path.join(this.#folder, id);
  }

  install(
    id: string,
    files: PackageFiles,
    installation: Installation,
    yes: { definition: string; accepted: Accepted },
  ): void {
    removeFolder(this.#staged(id), this.#ops);
    writeFolderDurably(this.#staged(id), files, { ops: this.#ops });
    this.#change(id, { kind: 'install', installation, ...yes });
  }

  remove(id: string, deleteSettings: boolean): void {
    this.#change(id, { kind: 'remove', deleteSettings });
  }

  /** Finishes what a crash interrupted and sweeps away what it left. Called once, before anything reads the folder. */
  recover(): string[] {
    const rows = this.#db.prepare('SELECT connector_id, detail FROM pending_changes').all();
    for (const row of rows) {
      // Written by `#change` below.
      this.#finish(String(row['connector_id']), JSON.parse(String(row['detail'])) as Pending);
    }
    for (const name of readdirSync(this.#folder)) {
      if (name.startsWith('.new-') || name.startsWith('.old-')) removeFolder(path.join(this.#folder, name), this.#ops);
    }
    return rows.map((row) => String(row['connector_id']));
  }

  #staged(id: string): string {
    return path.join(this.#folder, `.new-${id}`);
  }

  #retired(id: string): string {
    return path.join(this.#folder, `.old-${id}`);
  }

  #change(id: string, pending: Pending): void {
    transaction(this.#db, () =>
      this.#db
        .prepare('INSERT OR REPLACE INTO pending_changes (connector_id, kind, detail, created_at) VALUES (?, ?, ?, ?)')
        .run(id, pending.kind, JSON.stringify(pending), new Date().toISOString()),
    );
    try {
      this.#finish(id, pending);
    } catch (error) {
      this.#undo(id, pending, error);
      throw error;
    }
    this.#sweep(id);
  }

  /** Every step may already have been made: this runs again after a crash. */
  #finish(id: string, pending: Pending): void {
    const hasNewFiles = pending.kind === 'install' && existsSync(this.#staged(id));
    if ((hasNewFiles || pending.kind === 'remove') && existsSync(this.live(id))) {
      removeFolder(this.#retired(id), this.#ops);
      moveDurably(this.live(id), this.#retired(id), this.#ops);
    }
    if (hasNewFiles) moveDurably(this.#staged(id), this.live(id), this.#ops);
    transaction(this.#db, () => {
      this.#commit(id, pending);
      this.#forget(id);
    });
  }

  /** After a failed step the old files come back. If even that fails, the intent stays and the next start finishes the change. */
  #undo(id: string, pending: Pending, cause: unknown): void {
    try {
      const newIsLive = pending.kind === 'install' && !existsSync(this.#staged(id)) && existsSync(this.live(id));
      if (newIsLive) moveDurably(this.live(id), this.#staged(id), this.#ops);
      const isGone = !existsSync(this.live(id)) && existsSync(this.#retired(id));
      if (isGone) moveDurably(this.#retired(id), this.live(id), this.#ops);
      transaction(this.#db, () => this.#forget(id));
      removeFolder(this.#staged(id), this.#ops);
    } catch (error) {
      const message = `the change of ${id} failed and could not be taken back; the next start of Forge finishes it`;
      throw new ForgeError('disk_write_failed', message, { cause: new AggregateError([cause, error]) });
    }
  }

  #forget(id: string): void {
    this.#db.prepare('DELETE FROM pending_changes WHERE connector_id = ?').run(id);
  }

  /** The replaced files are of no more use; what cannot be removed now is swept away at the next start. */
  #sweep(id: string): void {
    try {
      removeFolder(this.#retired(id), this.#ops);
    } catch (error) {
      if (!isForgeError(error, 'disk_write_failed')) throw error;
    }
  }
}
