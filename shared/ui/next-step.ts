import { isRecord, ownValue } from '../json.ts';

/** What a person can do about an error, as a button. */
export type NextStep =
  | { kind: 'go'; label: string; path: string }
  /** The tab that waits for a login. */
  | { kind: 'tab'; label: string; browser: string; tabId: number };

interface Told {
  code: string;
  details?: unknown;
}

type Place = 'settings' | 'edit' | 'browsers';

const PLACES: Readonly<Record<string, Place>> = {
  setting_missing: 'settings',
  invalid_settings: 'settings',
  unknown_instance: 'settings',
  reference_broken: 'settings',
  exchange_failed: 'settings',
  login_failed: 'settings',
  ssh_auth_failed: 'settings',
  upstream_unreachable: 'settings',
  connector_disabled: 'settings',
  secrets_unreadable: 'settings',
  connector_broken: 'edit',
  invalid_manifest: 'edit',
  script_syntax: 'edit',
  extension_missing: 'browsers',
  browser_not_found: 'browsers',
  bridge_offline: 'browsers',
  browser_paused: 'browsers',
  user_scripts_off: 'browsers',
  permission_missing: 'browsers',
};

/** The step that an error of one of this connector's tools asks for; null when there is none to press. */
export function nextStep({ code, details }: Told, connector: string): NextStep | null {
  if (code === 'login_required') return loginTab(details);
  const page = `/settings/connectors/${encodeURIComponent(connector)}`;
  switch (ownValue(PLACES, code)) {
    case 'settings':
      return { kind: 'go', label: 'Open its settings', path: page };
    case 'edit':
      return { kind: 'go', label: 'Edit the manifest', path: `${page}/edit` };
    case 'browsers':
      return { kind: 'go', label: 'Open Browsers', path: '/settings/browsers' };
    default:
      return null;
  }
}

function loginTab(details: unknown): NextStep | null {
  const { tab_id: tabId, browser_id: browser } = isRecord(details) ? details : {};
  if (typeof tabId !== 'number' || typeof browser !== 'string') return null;
  return { kind: 'tab', label: 'Open the tab', browser, tabId };
}
