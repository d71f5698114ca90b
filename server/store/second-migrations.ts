/** The steps after the first ones: watches, tasks, conversations. Released, so never edited. */
export const SECOND_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    at TEXT NOT NULL,
    event TEXT NOT NULL CHECK (json_valid(event))
  ) STRICT;

  CREATE TABLE watches (
    id TEXT PRIMARY KEY NOT NULL,
    tool_id TEXT NOT NULL,
    poll_tool TEXT NOT NULL,
    connector_id TEXT NOT NULL,
    session_id TEXT,
    parent_id TEXT,
    depth INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    caller TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (json_valid(plan)),
    state TEXT NOT NULL CHECK (state IN ('polling', 'parked', 'acting', 'done', 'failed', 'cancelled')),
    run INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    deadline_at INTEGER NOT NULL,
    next_at INTEGER,
    poll_count INTEGER NOT NULL,
    error_count INTEGER NOT NULL,
    away_count INTEGER NOT NULL,
    told TEXT NOT NULL CHECK (json_valid(told)),
    reason TEXT CHECK (reason IS NULL OR json_valid(reason)),
    progress TEXT,
    last_poll TEXT CHECK (last_poll IS NULL OR json_valid(last_poll)),
    action TEXT CHECK (action IS NULL OR json_valid(action)),
    created_at INTEGER NOT NULL,
    ended_at INTEGER
  ) STRICT;
  CREATE INDEX watches_by_state ON watches (state, next_at);
  CREATE INDEX watches_by_parent ON watches (parent_id);

  CREATE TABLE watch_polls (
    seq INTEGER PRIMARY KEY NOT NULL,
    watch_id TEXT NOT NULL REFERENCES watches (id) ON DELETE CASCADE,
    run INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('going', 'done', 'failed', 'away', 'error')),
    code TEXT,
    message TEXT,
    result TEXT,
    duration_ms INTEGER NOT NULL,
    call_id TEXT
  ) STRICT;
  CREATE INDEX watch_polls_by_watch ON watch_polls (watch_id, seq);

  CREATE TABLE reports (
    seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    id TEXT UNIQUE NOT NULL,
    about TEXT UNIQUE NOT NULL,
    watch_id TEXT NOT NULL,
    tool_id TEXT NOT NULL,
    session_id TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('done', 'failed', 'parked')),
    reason TEXT NOT NULL CHECK (json_valid(reason)),
    text TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'ready')),
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX reports_by_watch ON reports (watch_id, seq);
  CREATE INDEX reports_by_session ON reports (session_id, seq);

  CREATE TABLE report_deliveries (
    report_seq INTEGER NOT NULL REFERENCES reports (seq) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
    attempts INTEGER NOT NULL,
    next_at INTEGER,
    problem TEXT,
    PRIMARY KEY (report_seq, channel)
  ) STRICT;
  CREATE INDEX report_deliveries_by_state ON report_deliveries (state, next_at);
  `,

  // What a person has said yes to, kept apart from the files, which anybody with an editor can change.
  `
  CREATE TABLE accepted_reach (
    connector_id TEXT PRIMARY KEY NOT NULL,
    reach TEXT NOT NULL CHECK (json_valid(reach))
  ) STRICT;
  `,

  // Keys of hosts, remembered the first time each was seen.
  `
  CREATE TABLE ssh_known_hosts (
    host TEXT NOT NULL,
    port INTEGER NOT NULL,
    via TEXT NOT NULL,
    key_type TEXT NOT NULL,
    blob TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    added_at TEXT NOT NULL,
    PRIMARY KEY (host, port, via, key_type)
  ) STRICT;
  `,

  // Work for execution adapters, what it used, and what other dispatchers report back.
  `
  CREATE TABLE tasks (
    id TEXT PRIMARY KEY NOT NULL,
    provider TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    session_id TEXT,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'ok', 'error', 'cancelled', 'interrupted')),
    model TEXT NOT NULL,
    warnings TEXT NOT NULL CHECK (json_valid(warnings)),
    metadata TEXT CHECK (metadata IS NULL OR json_valid(metadata)),
    result TEXT CHECK (result IS NULL OR json_valid(result)),
    callback_url TEXT,
    callback_token TEXT,
    callback_state TEXT NOT NULL CHECK (callback_state IN ('none', 'pending', 'delivered', 'failed')),
    callback_attempts INTEGER NOT NULL,
    callback_problem TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT
  ) STRICT;
  CREATE INDEX tasks_by_status ON tasks (status, created_at);
  CREATE INDEX tasks_by_session ON tasks (session_id, created_at);

  CREATE TABLE token_events (
    task_id TEXT PRIMARY KEY NOT NULL,
    agent_id TEXT NOT NULL,
    session_id TEXT,
    provider TEXT NOT NULL,
    model TEXT,
    model_provider TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    thinking_tokens INTEGER,
    total_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    cost_usd REAL,
    at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX token_events_by_session ON token_events (session_id);

  CREATE TABLE step_results (
    task_id TEXT PRIMARY KEY NOT NULL,
    body_sha256 TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'error')),
    result TEXT NOT NULL CHECK (json_valid(result)),
    received_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE gateway_registry (
    provider TEXT PRIMARY KEY NOT NULL,
    profile TEXT CHECK (profile IS NULL OR json_valid(profile)),
    managers TEXT NOT NULL CHECK (json_valid(managers)),
    status TEXT NOT NULL CHECK (status IN ('healthy', 'degraded', 'offline')),
    problem TEXT,
    checked_at TEXT NOT NULL
  ) STRICT;
  `,
  // Browsers prove themselves by a key of their own from here on; those paired before keep their names and pair again.
  `
  ALTER TABLE browsers RENAME COLUMN key_hash TO public_key;
  UPDATE browsers SET public_key = 'none ' || id;
  `,

  // Pairing is for tabs; changing Forge's own settings from a browser's options page takes another yes.
  `
  CREATE TABLE managing_browsers (
    browser_id TEXT PRIMARY KEY NOT NULL REFERENCES browsers (id) ON DELETE CASCADE
  ) STRICT;
  `,

  // Conversations, and approvals that belong to one.
  `
  ALTER TABLE approvals ADD COLUMN session_id TEXT;
  ALTER TABLE approvals ADD COLUMN read_from TEXT CHECK (read_from IS NULL OR json_valid(read_from));
  ALTER TABLE standing_approvals ADD COLUMN session_id TEXT;
  ALTER TABLE standing_approvals ADD COLUMN read_from TEXT CHECK (read_from IS NULL OR json_valid(read_from));

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY NOT NULL,
    title TEXT NOT NULL,
    model TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_use ON sessions (updated_at);

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    id TEXT UNIQUE NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'report')),
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'ok', 'error', 'cancelled', 'interrupted')),
    task_id TEXT,
    report_id TEXT UNIQUE,
    about TEXT NOT NULL CHECK (json_valid(about)),
    created_at TEXT NOT NULL,
    ended_at TEXT
  ) STRICT;
  CREATE INDEX messages_by_session ON messages (session_id, seq);
  CREATE INDEX messages_unended ON messages (seq) WHERE status IN ('queued', 'running');

  CREATE TABLE message_parts (
    message_seq INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    part TEXT NOT NULL CHECK (json_valid(part)),
    PRIMARY KEY (message_seq, place)
  ) STRICT;
  `,

  // Conversations whose reports go to a Telegram chat.
  `
  CREATE TABLE telegram_links (
    session_id TEXT PRIMARY KEY NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    chat_id TEXT NOT NULL,
    chat_name TEXT NOT NULL,
    linked_at TEXT NOT NULL
  ) STRICT;
  `,

  // What models cost, as a person says or as their provider lists it.
  `
  CREATE TABLE model_prices (
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('person', 'provider')),
    input_usd REAL NOT NULL,
    output_usd REAL NOT NULL,
    cache_read_usd REAL,
    cache_write_usd REAL,
    PRIMARY KEY (provider, model, source)
  ) STRICT;
  `,

  // Where a conversation was begun; the page was all there was.
  `
  ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT 'web' CHECK (origin IN ('web', 'extension', 'api'));
  `,

  // Calls without what made writing one slow: SQLite reading its JSON again, and an index that the one for connectors stands in for.
  `
  CREATE TABLE calls_unread (
    seq INTEGER PRIMARY KEY NOT NULL,
    id TEXT UNIQUE NOT NULL,
    at TEXT NOT NULL,
    caller TEXT NOT NULL,
    tool_id TEXT NOT NULL,
    connector_id TEXT NOT NULL,
    args TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'error')),
    code TEXT,
    message TEXT,
    duration_ms INTEGER NOT NULL,
    stages TEXT NOT NULL,
    trace TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  INSERT INTO calls_unread SELECT * FROM calls;
  DROP TABLE calls;
  ALTER TABLE calls_unread RENAME TO calls;
  CREATE INDEX calls_by_time ON calls (at);
  CREATE INDEX calls_by_connector ON calls (connector_id, seq);
  `,
];
