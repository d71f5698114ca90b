import type { Probe, ProbeAnswer } from '../../shared/bridge.ts';
import type { Connector, ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { TestBlock } from '../../shared/manifest/schema/manifest.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import { cleanText } from '../bridge/wire-error.ts';
import { bareNamesOf, type CallScope, type ExpandOptions } from './call-scope.ts';
import { expandSite } from './expand-browser.ts';
import { fillOkTemplate } from './ok-template.ts';
import type { TestOutcome, TestSteps } from './test-steps.ts';

/** The part of the bridge that looks at a tab without running anything in it. */
export interface ProbeBridge {
  request(
    method: 'connector.probe',
    params: Probe,
    options: { connector: string; signal: StopSignal },
  ): Promise<{ result: ProbeAnswer }>;
}

interface ProbeWork {
  scope: CallScope;
  test: Extract<TestBlock, { probe: 'browser' }>;
  steps: TestSteps;
  signal: StopSignal | undefined;
  ownPorts: readonly number[];
}

const PROBE_TIMEOUT_MS = 30_000;
const MAX_MESSAGE = 500;
/** The word of the wire contract for a tab that ended up on the login page. */
const LOGIN_REQUIRED = 'login required';

/** A browser opens or finds the connector's tab and says whether somebody is logged in there. */
export async function probeSite(
  bridge: ProbeBridge,
  pack: ConnectorPackage,
  connector: Connector,
  { scope, test, steps, ownPorts, signal = new AbortController().signal }: ProbeWork,
): Promise<TestOutcome> {
  const params = probeParams(connector, scope, { bareNames: bareNamesOf(pack), ownPorts }, test);
  steps.pass('request');
  const { result } = await bridge.request('connector.probe', params, { connector: connector.id, signal });
  steps.pass('answer');
  return judge(test, params, result, steps);
}

/** Exactly what the wire contract names; what a manifest does not say is left out. */
function probeParams(
  connector: Connector,
  scope: CallScope,
  names: Pick<ExpandOptions, 'bareNames' | 'ownPorts'>,
  { timeout_ms = PROBE_TIMEOUT_MS }: ProbeWork['test'],
): Probe {
  const { host_match, login_redirect, login_selector, logged_in_selector } = expandSite(connector, scope, names);
  return {
    pluginId: connector.id,
    host_match,
    ...(login_redirect === null ? {} : { login_redirect }),
    runner: connector.runner,
    timeout_ms,
    ...(login_selector === null ? {} : { auth_required_selector: login_selector }),
    ...(logged_in_selector === null ? {} : { logged_in_selector }),
  };
}

function judge(test: ProbeWork['test'], params: Probe, answer: ProbeAnswer, steps: TestSteps): TestOutcome {
  const { url } = answer;
  const at = url === undefined ? {} : { url };
  if (answer.ok) return steps.outcome(true, successMessage(test, params, answer.url), at);
  if (answer.error === LOGIN_REQUIRED) {
    const place = url === undefined ? '' : ` at ${url}`;
    return steps.outcome(false, LOGIN_REQUIRED, {
      ...at,
      code: 'login_required',
      hint: `Log in${place} in your browser, then test again.`,
    });
  }
  const message = cleanText(steps.redact(answer.error), MAX_MESSAGE);
  const hint = 'See whether the page opens in your browser, and check the address in the settings.';
  return steps.outcome(false, message === '' ? 'the browser does not say why it failed' : message, { ...at, hint });
}

/** Without a way to recognise a login page, an open tab is all that can be said. */
function successMessage({ ok_template }: ProbeWork['test'], params: Probe, url: string): string {
  if (ok_template !== undefined) return fillOkTemplate(ok_template, { url });
  const { login_redirect, auth_required_selector, logged_in_selector } = params;
  const knowsLogin = [login_redirect, auth_required_selector, logged_in_selector].some((sign) => sign !== undefined);
  return knowsLogin ? `logged in at ${url}` : `a tab is open at ${url}`;
}
