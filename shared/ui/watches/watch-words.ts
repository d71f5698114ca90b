import type { WatchDetail, WatchSummary } from '../../watches-api.ts';

type WatchState = WatchSummary['state'];
type PollOutcome = WatchDetail['polls'][number]['outcome'];
interface Mark {
  state: 'ready' | 'needs' | 'broken' | 'off';
  label: string;
}

const STATES: Readonly<Record<WatchState, Mark>> = {
  polling: { state: 'ready', label: 'Watching' },
  parked: { state: 'needs', label: 'Parked' },
  acting: { state: 'ready', label: 'Acting' },
  done: { state: 'ready', label: 'Done' },
  failed: { state: 'broken', label: 'Failed' },
  cancelled: { state: 'off', label: 'Cancelled' },
};
const OUTCOMES: Readonly<Record<PollOutcome, Mark>> = {
  going: { state: 'off', label: 'Not yet' },
  done: { state: 'ready', label: 'Done' },
  failed: { state: 'broken', label: 'Failed' },
  away: { state: 'needs', label: 'Not there' },
  error: { state: 'broken', label: 'Error' },
};

export const watchState = (state: WatchState): Mark => STATES[state];
export const pollState = (outcome: PollOutcome): Mark => OUTCOMES[outcome];

export const isActive = (state: WatchState): boolean => ['polling', 'parked', 'acting'].includes(state);

/** What a person can do to get it going; null when there is nothing. */
export function retryLabel(state: WatchState): string | null {
  if (state === 'parked') return 'Poll now';
  return state === 'failed' || state === 'cancelled' ? 'Begin again' : null;
}

/** Why beginning again is not harmless; null when it is. Nobody knows whether the tool at its end has run. */
export function retryWarning({ state, reason }: Pick<WatchSummary, 'state' | 'reason'>): string | null {
  if (state !== 'failed' || reason?.code !== 'unknown') return null;
  return 'The tool at its end may have taken effect already. When this watch ends again, that tool runs again: check first.';
}

/** `42 s`, `3 min`, `2 h 5 min`. */
export function spanWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

/** When it is looked at again; empty for one that is not. */
export function nextPollWords(
  { state, next_poll_at: next }: Pick<WatchSummary, 'state' | 'next_poll_at'>,
  now: number,
): string {
  if (!isActive(state) || next === null) return '';
  const ms = Date.parse(next) - now;
  return ms <= 0 ? 'polls now' : `next poll in ${spanWords(ms)}`;
}
