import { describe, expect, it } from 'vitest';
import { ERRORS } from '../error-table.ts';
import { nextStep } from './next-step.ts';

describe('W-20 an error offers its step as a button', () => {
  it.each([
    ['setting_missing', '/settings/connectors/a%2Fb'],
    ['exchange_failed', '/settings/connectors/a%2Fb'],
    ['connector_broken', '/settings/connectors/a%2Fb/edit'],
    ['extension_missing', '/settings/browsers'],
    ['permission_missing', '/settings/browsers'],
    ['upstream_error', undefined],
    ['toString', undefined],
  ])('%s leads to %s', (code, path) => {
    expect(nextStep({ code }, 'a/b')).toEqual(path === undefined ? null : expect.objectContaining({ path }));
  });

  it('a login leads to the tab that wants it, where that is known', () => {
    const details = { tab_id: 7, browser_id: 'b1', url: 'https://a.test/login' };
    const step = { kind: 'tab', label: 'Open the tab', browser: 'b1', tabId: 7 };
    expect(nextStep({ code: 'login_required', details }, 'a')).toEqual(step);
    expect(nextStep({ code: 'login_required', details: { tab_id: 7 } }, 'a')).toBeNull();
  });

  it('knows no code that Forge does not have', () => {
    const codes = ['setting_missing', 'invalid_settings', 'unknown_instance', 'reference_broken', 'exchange_failed'];
    const others = ['ssh_auth_failed', 'upstream_unreachable', 'connector_disabled', 'secrets_unreadable'];
    const browsers = ['extension_missing', 'browser_not_found', 'bridge_offline', 'browser_paused', 'user_scripts_off'];
    const all = [...codes, ...others, ...browsers, 'permission_missing', 'connector_broken', 'script_syntax'];
    expect(all.filter((code) => !(code in ERRORS) || nextStep({ code }, 'a') === null)).toEqual([]);
  });
});
