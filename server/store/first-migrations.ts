/** Connectors and their settings, approvals, the call log, browsers and MCP clients, as they were at first. */
export const FIRST_MIGRATIONS: readonly string[] = [
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
  `
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('call', 'host')),
    tool_id TEXT NOT NULL,
    connector_id TEXT NOT NULL,
    args TEXT NOT NULL CHECK (json_valid(args)),
    args_sha256 TEXT NOT NULL,
    host TEXT,
    caller TEXT NOT NULL,
    reason TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'used', 'expired')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    decided_at TEXT
  ) STRICT;
  CREATE INDEX approvals_by_status ON approvals (status, created_at);

  CREATE TABLE standing_approvals (
    id TEXT PRIMARY KEY NOT NULL,
    tool_id TEXT NOT NULL,
    connector_id TEXT NOT NULL,
    conditions TEXT NOT NULL CHECK (json_valid(conditions)),
    remaining INTEGER CHECK (remaining >= 0),
    until TEXT,
    created_at TEXT NOT NULL,
    used INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX standing_approvals_by_tool ON standing_approvals (tool_id);

  CREATE TABLE allowed_hosts (
    connector_id TEXT NOT NULL,
    host TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (connector_id, host)
  ) STRICT;
  `,
  `
  CREATE TABLE calls (
    seq INTEGER PRIMARY KEY NOT NULL,
    id TEXT UNIQUE NOT NULL,
    at TEXT NOT NULL,
    caller TEXT NOT NULL,
    tool_id TEXT NOT NULL,
    connector_id TEXT NOT NULL,
    args TEXT NOT NULL CHECK (json_valid(args)),
    outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'error')),
    code TEXT,
    message TEXT,
    duration_ms INTEGER NOT NULL,
    stages TEXT NOT NULL CHECK (json_valid(stages)),
    trace TEXT NOT NULL CHECK (json_valid(trace)),
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX calls_by_time ON calls (at);
  CREATE INDEX calls_by_tool ON calls (tool_id, seq);
  CREATE INDEX calls_by_connector ON calls (connector_id, seq);
  `,
  `
  CREATE TABLE browsers (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT UNIQUE NOT NULL COLLATE NOCASE,
    key_hash TEXT UNIQUE NOT NULL,
    origin TEXT NOT NULL,
    browser_id TEXT NOT NULL,
    browser TEXT NOT NULL,
    profile TEXT NOT NULL,
    platform TEXT NOT NULL,
    extension_version TEXT NOT NULL,
    user_scripts INTEGER NOT NULL CHECK (user_scripts IN (0, 1)),
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    created_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    UNIQUE (origin, browser_id)
  ) STRICT;
  `,
  `
  CREATE TABLE mcp_clients (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT UNIQUE NOT NULL COLLATE NOCASE,
    token_hash TEXT UNIQUE NOT NULL,
    connectors TEXT CHECK (connectors IS NULL OR json_valid(connectors)),
    read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
    created_at TEXT NOT NULL,
    last_used_at TEXT
  ) STRICT;
  `,
];
