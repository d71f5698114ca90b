import type { ConnectorSummary } from '../../shared/api.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Database } from '../store/sqlite.ts';

export type Health = ConnectorSummary['health'];

/** What a test or a call has shown. */
export interface Evidence {
  ok: boolean;
  /** Why it failed; left out where a test judged the answer. */
  code?: string | null | undefined;
  message?: string | undefined;
}

/** Whatever the arguments are: the service or the program cannot be used as the connector is set up. */
const ABOUT_CONNECTOR: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['upstream_unreachable', 'upstream_timeout', 'upstream_closed', 'redirect_refused', 'login_required'] as const),
  ...(['exchange_failed', 'circuit_open', 'command_not_found', 'ssh_host_key_changed', 'ssh_auth_failed'] as const),
  ...(['ssh_handshake_failed', 'ssh_prompt_missing', 'ssh_connection_lost', 'script_syntax', 'page_error'] as const),
]);
/** One of these may be about the arguments of a call; several in a row are not. */
const PERHAPS_ABOUT_ARGUMENTS: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['upstream_error', 'command_failed', 'command_timeout', 'tool_error', 'script_failed'] as const),
  ...(['ssh_timeout', 'ssh_fail_matched', 'navigation_timeout'] as const),
]);
const FAILING_FROM = 3;

interface Kept {
  workedAt: string | null;
  failedSince: string | null;
  failures: number;
  message: string;
}

const UNTESTED: Kept = { workedAt: null, failedSince: null, failures: 0, message: '' };

interface HealthOptions {
  now?: () => Date;
  /** Told when something could not be written: that never fails towards a call. */
  onProblem: (error: unknown) => void;
}

export type ConnectorHealth = ReturnType<typeof createConnectorHealth>;

/**
 * Whether connectors work, by their last tests and calls. Only changes are written: most calls confirm what is known, and the call log is
 * pruned while this stays.
 */
export function createConnectorHealth(db: Database, { now = () => new Date(), onProblem }: HealthOptions) {
  const select = db.prepare('SELECT * FROM connector_health WHERE connector_id = ?');
  const insert = db.prepare(
    `INSERT OR REPLACE INTO connector_health (connector_id, worked_at, failed_since, failures, message)
       VALUES (?, ?, ?, ?, ?)`,
  );
  const known = new Map<string, Kept>();
  const load = (id: string): Kept => {
    const row = select.get(id);
    const kept: Kept =
      row === undefined
        ? UNTESTED
        : {
            workedAt: row['worked_at'] === null ? null : String(row['worked_at']),
            failedSince: row['failed_since'] === null ? null : String(row['failed_since']),
            failures: Number(row['failures']),
            message: String(row['message']),
          };
    known.set(id, kept);
    return kept;
  };
  const of = (id: string): Kept => known.get(id) ?? load(id);
  const put = (id: string, kept: Kept): void => {
    known.set(id, kept);
    try {
      insert.run(id, kept.workedAt, kept.failedSince, kept.failures, kept.message);
    } catch (error) {
      onProblem(error);
    }
  };
  const take = (id: string, { ok, message = '' }: Evidence, weight: number): void => {
    const before = of(id);
    if (ok) {
      if (before.workedAt === null || before.failures > 0) put(id, { ...UNTESTED, workedAt: now().toISOString() });
    } else if (weight > 0 && before.failures < FAILING_FROM)
      put(id, {
        workedAt: before.workedAt,
        failedSince: before.failedSince ?? now().toISOString(),
        failures: Math.min(before.failures + weight, FAILING_FROM),
        message,
      });
  };
  return {
    /** A test says what it is about: the connector. */
    tested: (id: string, evidence: Evidence): void => {
      const isJudged = evidence.code === undefined || isAbout(evidence.code);
      take(id, evidence, isJudged ? FAILING_FROM : 0);
    },
    called: (id: string, evidence: Evidence): void => {
      const code = evidence.code ?? '';
      take(id, evidence, ABOUT_CONNECTOR.has(code) ? FAILING_FROM : PERHAPS_ABOUT_ARGUMENTS.has(code) ? 1 : 0);
    },
    /** Its settings have changed, or it is gone: what was found out is about something else. */
    forget: (id: string): void => {
      known.delete(id);
      db.prepare('DELETE FROM connector_health WHERE connector_id = ?').run(id);
    },
    of: (id: string): Health => {
      const { workedAt, failedSince, failures, message } = of(id);
      if (failures >= FAILING_FROM) return { status: 'failing', since: failedSince, message };
      return { status: workedAt === null ? 'untested' : 'working', since: workedAt, message: '' };
    },
  };
}

function isAbout(code: string | null): boolean {
  return code !== null && (ABOUT_CONNECTOR.has(code) || PERHAPS_ABOUT_ARGUMENTS.has(code));
}
