import { ERRORS } from '../../shared/error-table.ts';
import { type ErrorCode } from '../../shared/errors.ts';

/** Something a watch needs is away, and it will be back: nobody's mistake. */
export interface Away {
  /** What is away; the person is told once for each, and once more when it was back in between. */
  what: 'login' | 'browser' | 'host' | 'approval' | 'settings';
  /** False when nothing was asked at all, so that it is no poll either. */
  wasAsked: boolean;
  /** After how many polls in a row the person is told. A host that is away for a moment may just be starting again. */
  tellAfter: number;
  /** What to do about it, where that is not what its error says. */
  hint?: string;
}

const login: Away = { what: 'login', wasAsked: true, tellAfter: 1 };
const host: Away = { what: 'host', wasAsked: true, tellAfter: 3 };
const browser: Away = { what: 'browser', wasAsked: false, tellAfter: 1 };
const settings: Away = { what: 'settings', wasAsked: false, tellAfter: 1 };

const AWAY: Partial<Record<ErrorCode, Away>> = {
  login_required: login,
  exchange_failed: login,
  upstream_unreachable: host,
  upstream_timeout: host,
  upstream_closed: host,
  ssh_auth_failed: login,
  ssh_connection_lost: host,
  ssh_handshake_failed: host,
  ssh_host_key_changed: settings,
  ssh_timeout: host,
  circuit_open: { ...host, wasAsked: false },
  page_error: host,
  navigation_timeout: host,
  extension_missing: browser,
  browser_paused: browser,
  browser_busy: browser,
  bridge_offline: { ...browser, wasAsked: true },
  tab_closed: { ...browser, wasAsked: true },
  user_scripts_off: browser,
  permission_missing: browser,
  approval_required: { what: 'approval', wasAsked: false, tellAfter: 1 },
  connector_disabled: settings,
  tool_off: settings,
  connector_broken: settings,
  connector_changed: settings,
  setting_missing: settings,
  secrets_unreadable: settings,
};

/** What a proxy answers for a service that is not there, and a service that is just starting for itself. */
const AWAY_STATUSES: readonly (number | null)[] = [502, 503, 504];

/** Whether an error means that a watch has to wait, or null when the poll simply failed. */
export function awayOf(code: string, status: number | null): Away | null {
  if (code === 'upstream_error' && AWAY_STATUSES.includes(status))
    return { ...host, hint: ERRORS.upstream_unreachable.hint };
  return Object.hasOwn(AWAY, code) ? (AWAY[code as ErrorCode] ?? null) : null; // an own key of the table
}
