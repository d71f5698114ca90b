import type { Frame, Inspect, ParamsOf, Probe, RequestMethod, Run } from '../../shared/bridge.ts';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import type { Activity } from '../activity.ts';
import type { Reply } from '../bridge/link.ts';
import { runInspect } from '../inspect/inspect.ts';
import type { CallControl } from '../runner/deadline.ts';
import { runProbe } from '../runner/probe.ts';
import { runCall, type CallStages } from '../runner/run-call.ts';
import { logProblem } from '../platform/log.ts';
import type { PageScripts } from '../platform/scripts.ts';
import type { Calls } from './calls.ts';
import type { Tabs } from './create-tabs.ts';

interface RequestsDeps {
  calls: Calls;
  stages: CallStages;
  scripts: Pick<PageScripts, 'callInPage' | 'putInPage'>;
  activity: Activity;
  isPaused: () => boolean;
  /** Brings a tab to the front; the server asks for it only when a person does. */
  focusTab: (tabId: number) => Promise<void>;
  hasSite: Tabs['hasSite'];
  onLoginRequired: (error: ForgeError) => void;
  /** The tabs are known. Only the first moments of a worker's life wait for it. */
  ready: Promise<void>;
}

type Served = Exclude<RequestMethod, 'hello' | 'ping' | 'api.call'>;

/** Everything the server can ask of a browser, by method. */
export function createRequests(deps: RequestsDeps) {
  const { calls, stages, scripts, activity, isPaused, ready, focusTab, hasSite, onLoginRequired } = deps;
  const handlers: { [M in Served]: (params: ParamsOf<M>, control: CallControl) => Promise<Reply> } = {
    'connector.run': (params: Run, control) => runCall(params, control, stages),
    'connector.probe': async (params: Probe, control) => ({
      result: await runProbe(params, control, stages),
      body: null,
    }),
    'dom.inspect': (params: Inspect, control) => runInspect(params, control, { stages, ...scripts }),
    'tab.focus': async ({ tab_id }) => {
      await focusTab(tab_id);
      return { result: {}, body: null };
    },
    'tab.has': ({ host_match, login_redirect }) =>
      Promise.resolve({ result: { has: hasSite(host_match, login_redirect) }, body: null }),
  };
  const titles: { [M in Served]: (params: ParamsOf<M>) => string } = {
    'connector.run': ({ title, connector, tool }) => (title === '' ? `${connector}.${tool}` : title),
    'connector.probe': ({ pluginId }) => `Testing ${pluginId}`,
    'dom.inspect': ({ host_match }) => `Looking at ${host_match}`,
    'tab.focus': () => 'Showing a tab',
    'tab.has': ({ host_match }) => `Looking for ${host_match}`,
  };

  const refuseIfPaused = (): void => {
    if (isPaused()) throw new ForgeError('browser_paused', 'Forge is paused in this browser.');
  };

  return async ({ id, method, params }: Extract<Frame, { kind: 'request' }>): Promise<Reply> => {
    if (method === 'hello' || method === 'ping' || method === 'api.call')
      throw new ForgeError('bridge_protocol', `A browser does not take ${method}.`);
    refuseIfPaused();
    // readFrame has checked the params of this method against its schema; the table keeps the two together.
    const handle = handlers[method] as (params: unknown, control: CallControl) => Promise<Reply>;
    const title = (titles[method] as (params: unknown) => string)(params); // as above
    const isNamed = method === 'connector.run';
    const callId = isNamed ? (params as Run).call_id : `${method} ${id}`; // as above
    await ready;
    refuseIfPaused();
    return calls.run(callId, isNamed, async (control) => {
      activity.begin(callId, title);
      try {
        return await handle(params, control);
      } catch (error) {
        if (!isForgeError(error)) logProblem(`${title} failed in the extension`, error);
        else if (error.code === 'login_required') onLoginRequired(error);
        throw error;
      } finally {
        activity.end(callId);
      }
    });
  };
}
