import type { ConnectorSummary } from '../../api.ts';

export interface ShownState {
  state: 'ready' | 'needs' | 'broken' | 'off';
  label: string;
}

const STATES: Record<ConnectorSummary['state'], ShownState> = {
  ready: { state: 'ready', label: 'Ready' },
  needs_settings: { state: 'needs', label: 'Needs settings' },
  login_needed: { state: 'needs', label: 'Login needed' },
  disabled: { state: 'off', label: 'Off' },
  broken: { state: 'broken', label: 'Broken' },
};

/** A connector's state as a mark and a word; what needs the person most comes first. */
export function connectorState({
  state,
  review,
  update,
}: Pick<ConnectorSummary, 'state' | 'review' | 'update'>): ShownState {
  if (state === 'broken' || state === 'disabled') return STATES[state];
  if (review) return { state: 'needs', label: 'Changed' };
  if (state === 'ready' && update !== null) return { state: 'ready', label: 'Update available' };
  return STATES[state];
}

/** Every word of a search must occur somewhere in what a card shows. */
export function matchesSearch(text: string, parts: readonly string[]): boolean {
  const all = parts.join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
