import type { ConnectorSummary } from '../../shared/api.ts';
import type { Style } from './terminal.ts';

type Shown = Pick<ConnectorSummary, 'state' | 'health'>;

const STATE_STYLES: Readonly<Record<ConnectorSummary['state'], Style>> = {
  ready: 'green',
  needs_settings: 'yellow',
  login_needed: 'yellow',
  disabled: 'dim',
  broken: 'red',
};

/** The state in words: a connector is ready once a test or a call of it has worked. */
export function stateWord({ state, health }: Shown): string {
  if (state !== 'ready' || health.status === 'working') return state.replace('_', ' ');
  return health.status;
}

export function stateStyle({ state, health }: Shown): Style {
  if (state !== 'ready' || health.status === 'working') return STATE_STYLES[state];
  return health.status === 'failing' ? 'red' : 'dim';
}
