import type { ConnectorSummary } from '../../shared/api.ts';

/** The state in words. */
export function stateWord({ state }: Pick<ConnectorSummary, 'state'>): string {
  return state.replace('_', ' ');
}
