import type { Probe, ProbeAnswer } from '../../shared/bridge.ts';
import { isForgeError } from '../../shared/errors.ts';
import { checkArrival } from '../tabs/arrival.ts';
import type { Wanted } from '../tabs/choose-tab.ts';
import { matchPattern } from '../tabs/match-pattern.ts';
import type { CallControl } from './deadline.ts';
import { requireLogin } from './login.ts';
import { acquireTab, type CallStages } from './run-call.ts';

/** Loads the site in a tab and says whether the person is logged in there; runs no script of a connector (C-108…C-111). */
export async function runProbe(probe: Probe, control: CallControl, stages: CallStages): Promise<ProbeAnswer> {
  const wanted: Wanted = {
    hostMatch: probe.host_match,
    pattern: matchPattern(probe.host_match),
    url: null,
    onTarget: null,
    loginRedirect: probe.login_redirect ?? null,
    strategy: 'reuse',
    isFresh: true,
  };
  const signs = {
    loginRedirect: wanted.loginRedirect,
    loggedOut: probe.auth_required_selector ?? null,
    loggedIn: probe.logged_in_selector ?? null,
  };
  let url: string | undefined;
  try {
    await stages.checkPermission(wanted.pattern.origins, `Testing ${probe.pluginId}`);
    control.start(probe.timeout_ms);
    const lease = await acquireTab(wanted, { settleMs: 0, isQuick: false }, control, stages);
    url = lease.tab.url;
    try {
      checkArrival(url, wanted);
      await requireLogin(lease.tab.id, signs, control.signal, stages, 'waiting');
    } finally {
      url = stages.urlOf(lease.tab.id) ?? url;
      lease.release();
    }
    return { ok: true, url };
  } catch (error) {
    if (!isForgeError(error)) throw error;
    // The bridge's own states are not the site's: the server tells them in its own words.
    if (error.code === 'browser_paused' || error.code === 'cancelled') throw error;
    const said = error.code === 'login_required' ? 'login required' : `${error.message} ${error.hint}`;
    return { ok: false, error: said, ...(url === undefined ? {} : { url }) };
  }
}
