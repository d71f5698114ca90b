import type { CallRow } from '../../calls-api.ts';
import { isDenied } from '../../denied-call.ts';
import type { ErrorCode } from '../../errors.ts';
import { isRecord } from '../../json.ts';

const SHOWN_CHARS = 200;

/** What went wrong, in as few words as fit a column; codes that are missing here are read as words themselves. */
const FAILURES: Partial<Record<ErrorCode, string>> = {
  approval_denied: 'Denied',
  approval_expired: 'Nobody answered',
  bridge_offline: 'Browser lost',
  browser_paused: 'Browser paused',
  call_timeout: 'Took too long',
  circuit_open: 'Service failing',
  client_not_allowed: 'Not allowed',
  command_failed: 'Program failed',
  command_not_found: 'Program missing',
  command_timeout: 'Took too long',
  connector_broken: 'Connector broken',
  connector_changed: 'Connector changed',
  connector_disabled: 'Connector off',
  exchange_failed: 'Login refused',
  extension_missing: 'No browser',
  host_not_allowed: 'Host not allowed',
  address_refused: 'Address refused',
  invalid_argument: 'Wrong argument',
  login_required: 'Login needed',
  page_error: 'Page failed',
  permission_missing: 'Site not allowed',
  rate_limited: 'Too many calls',
  redirect_refused: 'Redirected',
  response_too_large: 'Answer too large',
  result_too_large: 'Result too large',
  script_failed: 'Script failed',
  setting_missing: 'Setting missing',
  ssh_auth_failed: 'Login refused',
  ssh_connection_lost: 'Connection lost',
  ssh_timeout: 'Took too long',
  tool_error: 'Tool failed',
  tool_off: 'Set to Never',
  upstream_closed: 'Answer cut off',
  upstream_error: 'Service refused',
  upstream_timeout: 'Took too long',
  upstream_unreachable: 'Unreachable',
  user_scripts_off: 'User scripts off',
};

/** How a call ended, as a mark and a word. */
export function callState(call: Pick<CallRow, 'outcome' | 'code' | 'approval'>): {
  state: 'ready' | 'needs' | 'broken' | 'off';
  label: string;
} {
  const { outcome, code } = call;
  if (outcome === 'ok') return { state: 'ready', label: 'Done' };
  if (outcome === 'started') return { state: 'needs', label: 'Running' };
  if (outcome === 'interrupted') return { state: 'broken', label: 'Interrupted' };
  if (isDenied(call)) return { state: 'broken', label: failureWords('approval_denied') };
  // The call was not refused: a person was asked, and the next one may go through.
  if (code === 'approval_required') return { state: 'needs', label: 'Asked first' };
  if (code === 'cancelled') return { state: 'off', label: 'Cancelled' };
  return { state: 'broken', label: failureWords(code) };
}

/** The reason of a failure in two or three words. */
export function failureWords(code: string | null): string {
  if (code === null || code === '') return 'Failed';
  const known = Object.hasOwn(FAILURES, code) ? FAILURES[code as ErrorCode] : undefined; // a key of the table, as was just seen
  const words = known ?? code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** False for a call that runs, and for one that nobody knows the end of. */
export function hasEnded({ outcome }: { outcome: string }): boolean {
  return outcome !== 'started' && outcome !== 'interrupted';
}

/** Arguments on one line: `limit: 2, name: Cleo`. */
export function argsLine(args: unknown): string {
  if (!isRecord(args)) return args === null || args === undefined ? '' : cut(JSON.stringify(args));
  return cut(
    Object.entries(args)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
  );
}

function cut(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
