import { createRequire } from 'node:module';

type SqlValue = null | number | bigint | string | Uint8Array;

export type Row = Record<string, SqlValue>;

export interface Statement {
  run(...parameters: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: SqlValue[]): Row | undefined;
  all(...parameters: SqlValue[]): Row[];
}

/** The part of `DatabaseSync` that Forge uses; both implementations have it. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface SqliteOptions {
  readOnly?: boolean;
  busyTimeoutMs?: number;
}

interface SqliteModule {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database;
}

/** Opens a SQLite file with Node's own SQLite where this Node has it, else with the packaged one. */
// oxlint-disable-next-line typescript/require-await -- whatever goes wrong is a rejection, also for callers that do not await at once
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Database> {
  const { readOnly = false, busyTimeoutMs = 5000 } = options;
  const { DatabaseSync } = loadBuiltIn() ?? loadPackaged();
  const db = new DatabaseSync(path, { readOnly });
  db.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
  return db;
}

/** By `require`, which takes about half as long as `import` for a package with a native part, and every start waits for it. */
function loadPackaged(): SqliteModule {
  const require = createRequire(import.meta.url);
  // The package has the documented DatabaseSync.
  return require('@photostructure/sqlite') as SqliteModule;
}

function loadBuiltIn(): SqliteModule | undefined {
  // oxlint-disable-next-line typescript/unbound-method -- put back below, and called through Reflect.apply with its own `this`
  const emitWarning = process.emitWarning;
  // Some versions of Node print a notice when their SQLite is loaded, which would only worry people; every other warning is passed on.
  process.emitWarning = new Proxy(emitWarning, {
    apply(target, self, parameters) {
      if (String(parameters[0]).startsWith('SQLite is an experimental feature')) return;
      Reflect.apply(target, self, parameters);
    },
  });
  try {
    // The types of Node 20 do not know this module; where it exists it has the documented DatabaseSync.
    return process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
