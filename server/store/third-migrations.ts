/** The steps after those: page sessions, sites read, and approvals bound to whole definitions. */
export const THIRD_MIGRATIONS: readonly string[] = [
  // Pages that are signed in. A session has several pairs of cookie and key only while it changes from one to the next.
  `
  CREATE TABLE page_sessions (
    id TEXT PRIMARY KEY NOT NULL,
    user_agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE page_session_keys (
    cookie_hash TEXT PRIMARY KEY NOT NULL,
    key_hash TEXT UNIQUE NOT NULL,
    session_id TEXT NOT NULL REFERENCES page_sessions (id) ON DELETE CASCADE,
    made_at INTEGER NOT NULL,
    ends_at INTEGER
  ) STRICT;
  CREATE INDEX page_session_keys_by_session ON page_session_keys (session_id);
  `,

  // Sites whose content a conversation has read; a model still knows it after a restart of Forge.
  `
  CREATE TABLE sites_read (
    conversation TEXT NOT NULL,
    client TEXT,
    site TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (conversation, site)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sites_read_by_client ON sites_read (client, at);
  `,

  // What a person has said yes to is a connector's whole definition. What is installed as it came counts as accepted: the next Forge
  // that reads those files writes down what they mean.
  `
  CREATE TABLE accepted_definitions (
    connector_id TEXT PRIMARY KEY NOT NULL,
    definition TEXT CHECK (definition IS NULL OR json_valid(definition)),
    files_sha256 TEXT NOT NULL,
    build TEXT NOT NULL
  ) STRICT;
  INSERT INTO accepted_definitions (connector_id, files_sha256, build)
    SELECT connector_id, sha256, '' FROM installations WHERE json_extract(source, '$.kind') <> 'found';
  DROP TABLE accepted_reach;
  `,

  // A yes is bound to the definition of the tool it was asked about, and one may be asked about a change of it. Those that were asked
  // before say nothing about a definition, so they are over.
  `
  CREATE TABLE approvals_bound (
    id TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('call', 'host', 'change')),
    tool_id TEXT NOT NULL,
    connector_id TEXT NOT NULL,
    args TEXT NOT NULL CHECK (json_valid(args)),
    args_sha256 TEXT NOT NULL,
    definition_sha256 TEXT NOT NULL,
    host TEXT,
    caller TEXT NOT NULL,
    reason TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'used', 'expired')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    decided_at TEXT,
    session_id TEXT,
    read_from TEXT CHECK (read_from IS NULL OR json_valid(read_from))
  ) STRICT;
  INSERT INTO approvals_bound
    SELECT id, kind, tool_id, connector_id, args, args_sha256, '', host, caller, reason,
      CASE WHEN status IN ('pending', 'approved') THEN 'expired' ELSE status END,
      created_at, expires_at, decided_at, session_id, read_from
    FROM approvals;
  DROP TABLE approvals;
  ALTER TABLE approvals_bound RENAME TO approvals;
  CREATE INDEX approvals_by_status ON approvals (status, created_at);
  ALTER TABLE standing_approvals ADD COLUMN definition_sha256 TEXT;
  `,

  // What was read out of a manifest is believed only with the mark of whoever read it.
  `
  DROP TABLE parsed_manifests;
  CREATE TABLE parsed_manifests (
    sha256 TEXT NOT NULL,
    parser TEXT NOT NULL,
    document TEXT NOT NULL,
    mac TEXT NOT NULL,
    PRIMARY KEY (sha256, parser)
  ) STRICT;
  `,

  // Approvals are read a page at a time.
  `
  CREATE INDEX approvals_by_time ON approvals (created_at, id);
  CREATE INDEX approvals_by_session ON approvals (session_id, created_at, id) WHERE session_id IS NOT NULL;
  DROP INDEX approvals_by_status;
  CREATE INDEX approvals_by_status ON approvals (status, created_at, id);
  `,
];
