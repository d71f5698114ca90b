import type { ConnectorSummary } from '../../api.ts';
import { shownMinute } from '../shown-time.ts';

export interface ShownState {
  state: 'ready' | 'needs' | 'broken' | 'off';
  label: string;
}

const STATES: Record<ConnectorSummary['state'], ShownState> = {
  // Filled in is not the same as working.
  ready: { state: 'off', label: 'Untested' },
  needs_settings: { state: 'needs', label: 'Needs settings' },
  login_needed: { state: 'needs', label: 'Login needed' },
  disabled: { state: 'off', label: 'Off' },
  broken: { state: 'broken', label: 'Broken' },
};

/** A connector's state as a mark and a word; what needs the person most comes first. */
export function connectorState(
  { state, health, review, update }: Pick<ConnectorSummary, 'state' | 'health' | 'review' | 'update'>,
  now: number,
): ShownState {
  if (state === 'broken' || state === 'disabled') return STATES[state];
  if (review) return { state: 'needs', label: 'Changed' };
  if (state !== 'ready') return STATES[state];
  if (health.status === 'failing') return { state: 'broken', label: failingWords(health.since, now) };
  const isTested = health.status !== 'untested';
  if (update !== null) return { state: isTested ? 'ready' : 'off', label: 'Update available' };
  return isTested ? { state: 'ready', label: 'Ready' } : STATES.ready;
}

/** What keeps a connector from working, in one sentence; empty where nothing does, or where it is switched off. */
export function problemOf({ state, reason, health }: Pick<ConnectorSummary, 'state' | 'reason' | 'health'>): string {
  if (state === 'ready') return health.message;
  return state === 'disabled' ? '' : reason;
}

/** `Failing since 14:03`, and with the day if that was another one. */
function failingWords(since: string | null, now: number): string {
  const time = since === null ? '' : shownMinute(since, now);
  return time === '' ? 'Failing' : `Failing since ${time}`;
}

/** Every word of a search must occur somewhere in what a card shows. */
export function matchesSearch(text: string, parts: readonly string[]): boolean {
  const all = parts.join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
