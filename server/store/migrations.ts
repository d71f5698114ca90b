import { CALL_LOG_MIGRATION } from './call-log-migration.ts';
import { FIRST_MIGRATIONS } from './first-migrations.ts';
import { SECOND_MIGRATIONS } from './second-migrations.ts';
import { THIRD_MIGRATIONS } from './third-migrations.ts';

/**
 * The steps from an empty database to the current one; `user_version` counts those that were made.
 * A step that was released is never edited: a change is a new step at the end.
 */
export const MIGRATIONS: readonly string[] = [
  ...FIRST_MIGRATIONS,
  ...SECOND_MIGRATIONS,
  ...THIRD_MIGRATIONS,
  CALL_LOG_MIGRATION,

  // What people let callers do with each tool, and which tools they believe to only read.
  `
  CREATE TABLE tool_modes (
    connector_id TEXT NOT NULL,
    tool_id TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('on', 'ask', 'never')),
    PRIMARY KEY (connector_id, tool_id)
  ) STRICT;

  CREATE TABLE accepted_claims (
    connector_id TEXT NOT NULL,
    tool_id TEXT NOT NULL,
    definition TEXT NOT NULL,
    PRIMARY KEY (connector_id, tool_id)
  ) STRICT;
  `,

  // Whether connectors work, by their tests and calls.
  `
  CREATE TABLE connector_health (
    connector_id TEXT PRIMARY KEY NOT NULL,
    worked_at TEXT,
    failed_since TEXT,
    failures INTEGER NOT NULL,
    message TEXT NOT NULL
  ) STRICT;
  `,

  // A report keeps its own text, and a model's words about it stand beside it.
  `
  ALTER TABLE reports ADD COLUMN words TEXT;
  `,

  // An answer that a client gave is not known to be a person's.
  `
  ALTER TABLE approvals ADD COLUMN decided_by TEXT CHECK (decided_by IN ('person', 'client'));
  UPDATE approvals SET decided_by = 'person' WHERE decided_at IS NOT NULL;
  `,
];

/** From here on every database has a key of the call log, or has never held a call. */
export const CALL_LOG_VERSION = MIGRATIONS.indexOf(CALL_LOG_MIGRATION) + 1;
