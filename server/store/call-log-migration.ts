/**
 * A call that may change something has two rows: one before it runs, one when it has ended. `open_calls` names those that have the first
 * only. `call_log_keys` holds the sealed keys of the hash chain, each with the row after which it is used.
 */
export const CALL_LOG_MIGRATION = `
  CREATE TABLE calls_paired (
    seq INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    caller TEXT NOT NULL,
    tool_id TEXT NOT NULL,
    connector_id TEXT NOT NULL,
    args TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('started', 'ok', 'error', 'interrupted', 'note')),
    code TEXT,
    message TEXT,
    duration_ms INTEGER NOT NULL,
    stages TEXT NOT NULL,
    trace TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  INSERT INTO calls_paired SELECT * FROM calls;
  DROP TABLE calls;
  ALTER TABLE calls_paired RENAME TO calls;
  CREATE UNIQUE INDEX calls_by_id ON calls (id, outcome = 'started');
  CREATE INDEX calls_by_time ON calls (at);
  CREATE INDEX calls_by_connector ON calls (connector_id, seq);
  CREATE INDEX calls_notes ON calls (seq) WHERE outcome = 'note';

  CREATE TABLE open_calls (
    id TEXT PRIMARY KEY NOT NULL,
    seq INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE call_log_keys (
    id INTEGER PRIMARY KEY NOT NULL,
    after_seq INTEGER NOT NULL,
    sealed TEXT NOT NULL
  ) STRICT;
`;
