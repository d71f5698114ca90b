import type { Run } from '../../../shared/bridge.ts';

/** A call as the server would send it. */
export function runParams(changes: Partial<Run> = {}): Run {
  return {
    call_id: 'call_1',
    connector: 'demo',
    tool: 'read',
    title: 'Demo: read',
    acquire: {
      host_match: 'https://demo.test/*',
      login_redirect: null,
      login_selector: null,
      url: null,
      on_target: null,
      settle_ms: 0,
      tab_strategy: 'reuse',
    },
    runner: 'main',
    frame: null,
    script: 'return 1',
    args: '{}',
    settings: '{}',
    timeout_ms: 60_000,
    max_result_bytes: 1_000_000,
    approval: null,
    ...changes,
  };
}
