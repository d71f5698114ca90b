/**
 * The steps from an empty database to the current one; `user_version` counts those that were made.
 * A step that was released is never edited: a change is a new step at the end.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (
    key TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
  ) STRICT;

  CREATE TABLE settings (
    connector_id TEXT PRIMARY KEY NOT NULL,
    document TEXT NOT NULL CHECK (json_valid(document)),
    revision INTEGER NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE installations (
    connector_id TEXT PRIMARY KEY NOT NULL,
    version TEXT NOT NULL,
    source TEXT NOT NULL CHECK (json_valid(source)),
    sha256 TEXT NOT NULL,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    installed_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE pending_changes (
    connector_id TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL CHECK (json_valid(detail)),
    created_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE parsed_manifests (
    sha256 TEXT NOT NULL,
    parser TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (sha256, parser)
  ) STRICT;

  CREATE TABLE registry_cache (
    location TEXT PRIMARY KEY NOT NULL,
    document TEXT NOT NULL,
    fetched_at TEXT NOT NULL
  ) STRICT;
  `,
];
